package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A target is an architecture that values are taken for, in the order of the
// columns of values.tsv and of out.Machine.
type target struct {
	goarch, clang, include string
}

var targets = [4]target{
	{"amd64", "x86_64-linux-gnu", "x86_64-linux-gnu"},
	{"386", "i386-linux-gnu", "i386-linux-gnu"},
	{"arm64", "aarch64-linux-gnu", "aarch64-linux-gnu"},
	{"arm", "arm-linux-gnueabi", "arm-linux-gnueabi"},
}

// values are the integers of one target by name, in C's notation of the type
// they have there: sign-extended to 64 bits if signed.
type values map[string]uint64

// writeSnapshot evaluates every integer macro and enum constant of the kernel's
// uapi headers below dir (as a Debian linux-libc-dev has them), adds what
// golang.org/x/sys/unix knows beyond them, and writes values.tsv.
func writeSnapshot(dir, file string) error {
	stubDir, err := os.MkdirTemp("", "genxlat")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stubDir)
	if err := writeStubs(stubDir); err != nil {
		return err
	}
	var all [len(targets)]values
	for i, t := range targets {
		v, err := headerValues(t, dir, stubDir)
		if err != nil {
			return fmt.Errorf("%s: %w", t.goarch, err)
		}
		if err := addGoValues(v, t.goarch); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d names\n", t.goarch, len(v))
		all[i] = v
	}
	names := map[string]bool{}
	for _, v := range all {
		for n := range v {
			names[n] = true
		}
	}
	var b bytes.Buffer
	version, err := headerVersion(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "# Integers of Linux %s's uapi headers and of golang.org/x/sys/unix; made by genxlat -snapshot.\n", version)
	fmt.Fprintf(&b, "# name, value; or, where they differ, amd64, 386, arm64, arm (-: not there)\n")
	for _, n := range sorted(names) {
		b.WriteString(n)
		same := true
		for _, v := range all {
			x, ok := v[n]
			first, ok0 := all[0][n]
			same = same && ok && ok0 && x == first
		}
		for _, v := range all {
			if x, ok := v[n]; ok {
				b.WriteString("\t" + number(x))
			} else {
				b.WriteString("\t-")
			}
			if same {
				break
			}
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func number(v uint64) string {
	if int64(v) < 0 && int64(v) > -4096 {
		return strconv.FormatInt(int64(v), 10)
	}
	if v < 256 {
		return strconv.FormatUint(v, 10)
	}
	return "0x" + strconv.FormatUint(v, 16)
}

// headerVersion is the version of the package that dir was unpacked from.
func headerVersion(dir string) (string, error) {
	f := filepath.Join(dir, "usr/share/doc/linux-libc-dev/changelog.Debian.gz")
	out, err := exec.Command("zcat", f).Output()
	if err != nil {
		return "", fmt.Errorf("read the version of the headers from %s: %w", f, err)
	}
	_, rest, _ := strings.Cut(string(out), "(")
	version, _, _ := strings.Cut(rest, ")")
	return version, nil
}

func sorted[V any](m map[string]V) []string {
	s := make([]string, 0, len(m))
	for k := range m {
		s = append(s, k)
	}
	sort.Strings(s)
	return s
}

// headerDirs in order: of two headers with the same name in them, the first
// counts, so asm goes before asm-generic.
var headerDirs = []string{"asm", "asm-generic", "linux", "mtd", "scsi", "sound", "misc", "video", "rdma", "drm"}

// unwanted reports whether no system call is about a name: of graphics, sound
// and RDMA drivers only the ioctls count.
func unwanted(inc, header, name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return true // guards, and what the compiler predefines
	}
	for _, d := range []string{"drm", "misc", "rdma", "scsi/fc", "sound", "video", "linux/pci", "linux/virtio_", "linux/media", "linux/usb"} {
		if strings.HasPrefix(header, filepath.Join(inc, d)) {
			return !strings.Contains(name, "IOC") && !strings.HasPrefix(name, "CDROM")
		}
	}
	for _, p := range []string{"ZORRO_", "MDIO_", "__NR_", "HL_", "DRBD_", "LINUX_MIB_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// headerValues evaluates the headers of one target.
func headerValues(t target, dir, stubDir string) (values, error) {
	inc := filepath.Join(dir, "usr/include")
	var headers []string
	for _, d := range headerDirs {
		root := filepath.Join(inc, d)
		if d == "asm" {
			root = filepath.Join(inc, t.include, d)
		}
		err := filepath.WalkDir(root, func(p string, e os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(p, ".h") {
				headers = append(headers, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var include strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&include, "#include \"%s\"\n", h)
	}
	// Headers may complain when they meet each other; their text comes anyway.
	text, _ := clang(t, inc, stubDir, prelude+include.String(), "-E", "-dD")
	if text == "" {
		return nil, fmt.Errorf("clang does not preprocess the headers in %s", inc)
	}
	names := declared(text)
	for h := range names {
		names[h] = slices.DeleteFunc(names[h], func(n string) bool { return unwanted(inc, h, n) })
	}
	headers = slices.DeleteFunc(headers, func(h string) bool { return len(names[h]) == 0 })
	const batch = 24
	found := make([]values, (len(headers)+batch-1)/batch)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for i := range found {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer wg.Done()
			found[i] = values{}
			e := evaluator{t, inc, stubDir, names}
			e.evaluate(headers[i*batch:min((i+1)*batch, len(headers))], found[i])
			<-slots
		}()
	}
	wg.Wait()
	all := values{}
	for _, v := range found {
		for n, x := range v {
			if _, ok := all[n]; !ok {
				all[n] = x
			}
		}
	}
	return all, nil
}

// prelude is what headers of the kernel expect to be there.
const prelude = `
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include <linux/posix_types.h>
typedef unsigned int u_int; typedef unsigned char u_char; typedef unsigned short u_short;
typedef unsigned long u_long; typedef long time_t; typedef int pid_t; typedef unsigned uid_t, gid_t; typedef long ssize_t; typedef long long off64_t; typedef long off_t;
typedef char *caddr_t; typedef struct __sigset { unsigned long s[1]; } sigset_t_;
`

// more is tried where the prelude alone does not do.
const more = prelude + `
#include <sys/socket.h>
#include <linux/time.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/if.h>
`

// stubs stand for the headers of a libc that some uapi headers include.
var stubs = map[string]string{
	"sys/socket.h": `#ifndef STUB_SOCKET
#define STUB_SOCKET
#include <linux/socket.h>
#define MSG_FIN 0x200
typedef unsigned short sa_family_t;
struct sockaddr { unsigned short sa_family; char sa_data[14]; };
#endif
`,
	"sys/types.h": "", "sys/time.h": "#include <linux/time.h>\n", "time.h": "#include <linux/time.h>\n",
	"sys/ioctl.h": "#include <linux/ioctl.h>\n", "string.h": "", "stdlib.h": "", "stdio.h": "", "unistd.h": "", "endian.h": "",
	"errno.h": "#include <linux/errno.h>\n", "netinet/in.h": "#include <sys/socket.h>\n#include <linux/in.h>\n#include <linux/in6.h>\n",
	"net/if.h": "#include <linux/if.h>\n", "fcntl.h": "", "poll.h": "", "strings.h": "", "netinet/if_ether.h": "#include <linux/if_ether.h>\n",
}

func writeStubs(dir string) error {
	for name, text := range stubs {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var (
	marker   = regexp.MustCompile(`^# \d+ "([^"]*)"`)
	define   = regexp.MustCompile(`^#define ([A-Za-z_]\w*)\s+(.*)$`)
	enumBody = regexp.MustCompile(`(?s)\benum\b[^;{}()]*\{(.*?)\}`)
	enumName = regexp.MustCompile(`(?:^|,)\s*([A-Za-z_]\w*)`)
	label    = regexp.MustCompile(`^v__(\w+):$`)
	// an error that is not one of the generated lines
	otherError = regexp.MustCompile(`(?m)^/.*(?:fatal )?error: .*$|^.*fatal error: .*$`)
	badLine    = regexp.MustCompile(`(?m)^<stdin>:(\d+):\d+: error`)
)

// An evaluator finds the values of the names that headers declare.
type evaluator struct {
	t            target
	inc, stubDir string
	names        map[string][]string // by header
}

// evaluate adds the values of the names in headers to v. Headers that do not
// compile together are tried apart.
func (e *evaluator) evaluate(headers []string, v values) {
	err := e.compile(prelude, headers, v)
	switch {
	case err == nil:
	case len(headers) > 1:
		e.evaluate(headers[:len(headers)/2], v)
		e.evaluate(headers[len(headers)/2:], v)
	default:
		if err = e.compile(more, headers, v); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %s left out: %v\n", e.t.goarch, strings.TrimPrefix(headers[0], e.inc+"/"), err)
		}
	}
}

func (e *evaluator) compile(pre string, headers []string, v values) error {
	var names []string
	for _, h := range headers {
		pre += "#include \"" + h + "\"\n"
		for _, n := range e.names[h] {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	first := strings.Count(pre, "\n") + 1
	for len(names) > 0 { // until no name is left that is no constant
		var src strings.Builder
		src.WriteString(pre)
		for _, n := range names {
			fmt.Fprintf(&src, "extern const unsigned long long v__%s; const unsigned long long v__%s = (unsigned long long)(%s);\n", n, n, n)
		}
		asm, err := clang(e.t, e.inc, e.stubDir, src.String(), "-S", "-o", "-")
		if err == nil {
			for n, x := range parseAssembly(asm) {
				if _, ok := v[n]; !ok {
					v[n] = x
				}
			}
			return nil
		}
		bad := map[int]bool{}
		for _, m := range badLine.FindAllStringSubmatch(err.Error(), -1) {
			n, _ := strconv.Atoi(m[1])
			bad[n-first] = true
		}
		if m := otherError.FindString(err.Error()); m != "" || len(bad) == 0 {
			return fmt.Errorf("%.200s", m)
		}
		var good []string
		for i, n := range names {
			if !bad[i] {
				good = append(good, n)
			}
		}
		names = good
	}
	return nil
}

// declared returns the macros and enum constants that each header declares.
func declared(text string) map[string][]string {
	seen := map[string]map[string]bool{}
	own := map[string]*strings.Builder{}
	here := ""
	for line := range strings.Lines(text) {
		if m := marker.FindStringSubmatch(line); m != nil {
			here = m[1]
			if seen[here] == nil {
				seen[here], own[here] = map[string]bool{}, &strings.Builder{}
			}
			continue
		}
		if m := define.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && here != "" {
			if m[2] != "" {
				seen[here][m[1]] = true
			}
			continue
		}
		if here != "" && !strings.HasPrefix(line, "#") {
			own[here].WriteString(line)
		}
	}
	names := map[string][]string{}
	for h, set := range seen {
		for _, m := range enumBody.FindAllStringSubmatch(own[h].String(), -1) {
			for _, n := range enumName.FindAllStringSubmatch(parens(m[1]), -1) {
				set[n[1]] = true
			}
		}
		names[h] = sorted(set)
	}
	return names
}

// parens drops what stands in parentheses, so that commas in there don't count.
func parens(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// parseAssembly reads the constants back: a label, then one .quad or .xword, or
// two .long, or .zero.
func parseAssembly(asm string) values {
	v := values{}
	name, shift := "", 0
	for line := range strings.Lines(asm) {
		line = strings.TrimSpace(line)
		if m := label.FindStringSubmatch(line); m != nil {
			name, shift = m[1], 0
			v[name] = 0
			continue
		}
		w := strings.Fields(line)
		if name == "" || len(w) < 2 || !slices.Contains([]string{".quad", ".xword", ".long"}, w[0]) {
			continue
		}
		n, err := strconv.ParseInt(w[1], 0, 64)
		x := uint64(n)
		if err != nil {
			x, _ = strconv.ParseUint(w[1], 0, 64)
		}
		if w[0] == ".long" {
			v[name] |= x & 0xffffffff << shift
			shift += 32
		} else {
			v[name] = x
		}
	}
	return v
}

func clang(t target, inc, stubDir, src string, args ...string) (string, error) {
	all := append([]string{
		"-target", t.clang, "-x", "c", "-std=gnu11", "-w", "-ffreestanding", "-nostdlibinc", "-ferror-limit=0",
		"-D__user=", "-isystem", filepath.Join(inc, t.include), "-isystem", inc, "-isystem", stubDir,
	}, args...)
	cmd := exec.Command("clang", append(all, "-")...)
	cmd.Stdin = strings.NewReader(src)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s", errs.String())
	}
	return out.String(), nil
}

var goConst = regexp.MustCompile(`(?m)^\s+([A-Z_]\w*)\s+=\s+(-?(?:0x)?[0-9a-fA-F]+)$`)

// addGoValues adds the constants of x/sys that the headers do not have: those
// that only libc's headers declare (AF_*, SOCK_*, MSG_* …).
func addGoValues(v values, goarch string) error {
	_ = unix.AF_UNSPEC // the dependency in go.mod is this one
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		return fmt.Errorf("find golang.org/x/sys: %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "unix")
	for _, f := range []string{"zerrors_linux_" + goarch + ".go", "zerrors_linux.go", "ztypes_linux_" + goarch + ".go", "ztypes_linux.go"} {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			return err
		}
		for _, m := range goConst.FindAllStringSubmatch(string(text), -1) {
			if _, ok := v[m[1]]; ok {
				continue
			}
			n, err := strconv.ParseInt(m[2], 0, 64)
			x := uint64(n)
			if err != nil {
				if x, err = strconv.ParseUint(m[2], 0, 64); err != nil {
					return fmt.Errorf("%s: %s: %w", f, m[1], err)
				}
			}
			v[m[1]] = x
		}
	}
	return nil
}
