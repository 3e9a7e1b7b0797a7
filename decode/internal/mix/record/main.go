// Command record traces a command and its children (as root) and writes some of
// their calls to a recording (package mix): the first few of every kind, and one
// in as many as -every says of all.
//
//	go run ./decode/internal/mix/record -o decode/testdata/mix.gz sh decode/internal/mix/record/workload.sh
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"perftrace/bpf"
	"perftrace/decode"
	"perftrace/decode/internal/mix"
	"perftrace/event"
)

func main() {
	to := flag.String("o", "mix.gz", "file to write")
	every := flag.Int("every", 25, "one in how many calls is kept")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "record: give a command to record")
		os.Exit(2)
	}
	if err := record(*to, *every, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// first is how many calls of a kind are kept in any case.
const first = 3

func record(to string, every int, args []string) error {
	hold, release, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `read x <&3; exec 3<&-; exec "$@"`, "sh"}, args...)...)
	cmd.ExtraFiles = []*os.File{hold}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer release.Close()

	p := &event.Plan{StringMax: 32, Times: true, RingBytes: 8 << 20}
	p.Target.UID, p.Target.Child, p.Target.Follow = -1, cmd.Process.Pid, true
	for abi := range p.Calls {
		for i := range p.Calls[abi] {
			p.Calls[abi][i] = ^uint64(0)
		}
	}
	o := decode.Default()
	p.Captures = decode.NewRows("amd64").CallPlans(&p.Calls, &o)
	s := &bpf.Source{}
	if err := s.Open(p); err != nil {
		return err
	}
	defer s.Close()
	if err := s.Start(); err != nil {
		return err
	}
	if _, err := release.WriteString("\n"); err != nil {
		return err
	}
	go func() {
		_ = cmd.Wait()
		_ = s.Stop()
	}()

	f, err := os.Create(to)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(z)
	kinds := map[uint32]int{}
	n, kept := 0, 0
	for {
		e, err := s.Next(20 * time.Millisecond)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if e == nil || e.Kind != event.KindSyscall {
			continue
		}
		n++
		kinds[e.NR]++
		if n%every != 0 && kinds[e.NR] > first {
			continue
		}
		kept++
		if err := mix.Append(w, e); err != nil {
			return err
		}
	}
	fmt.Printf("%d of %d calls, %d different ones\n", kept, n, len(kinds))
	return errors.Join(w.Flush(), z.Close(), f.Close())
}
