package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
)

// lookAround finds how often each workload makes the calls of its loop besides the
// loop: libc opens and reads files at the start, the report is written at the end.
// strace, which loses nothing, is asked; if it is missing, this project's ptrace
// backend.
func (b *bench) lookAround(ctx context.Context, cells []*cell) error {
	b.around = map[string]map[string]int64{}
	out := filepath.Join(b.dir, "around")
	tracer := []string{b.perftrace, "--backend=ptrace"}
	if strace, err := exec.LookPath("strace"); err == nil {
		tracer = []string{strace}
	}
	for _, c := range cells {
		w := c.workload
		if b.around[w.name] != nil || w.job != nil || w.near {
			continue
		}
		path := filepath.Join(b.dir, "report")
		argv := append(tracer, "-f", "-o", out, b.program(w.prog), path, w.mode, strconv.Itoa(leastCalls))
		p, err := b.start("said", argv)
		if err != nil {
			return err
		}
		if err := p.wait(ctx); err != nil {
			return fmt.Errorf("count what %s does besides its loop: %w: %s", w.name, err, p.lastWords())
		}
		rep, err := readReport(path)
		if err != nil {
			return err
		}
		b.around[w.name] = map[string]int64{}
		for name, made := range rep.calls {
			shown, err := (&output{file: out, made: map[string]int64{name: 0}}).calls(1)
			if err != nil {
				return err
			}
			b.around[w.name][name] = shown - made
		}
	}
	return nil
}
