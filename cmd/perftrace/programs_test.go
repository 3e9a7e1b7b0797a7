package main

import "strings"

// A program runs in an empty directory by sh -c. Of those that need a command
// that the machine may lack, it is named first: "sqlite3: …".
type program struct{ name, script string }

func (p *program) needs() []string {
	if before, _, ok := strings.Cut(p.script, ": "); ok && !strings.ContainsAny(before, " ;|'\"") {
		return []string{before}
	}
	return nil
}

func (p *program) run() string {
	if n := p.needs(); n != nil {
		return p.script[len(n[0])+2:]
	}
	return p.script
}

var programs = []program{
	{"true", "true"},
	{"cat", "cat /etc/hostname /etc/missing"},
	{"ls", "ls -l /etc/apt"},
	{"ls recursive", "mkdir -p a/b/c; ls -R ."},
	{"cp and mv", "cp /etc/services x; mv x y; rm y"},
	{"links", "ln -s /etc/hostname l; readlink l; ln l h; cat l"},
	{"find", "mkdir -p a/b; touch a/b/c; find . -type f"},
	{"stat", "stat /etc/passwd ."},
	{"wc in a pipe", "ls /usr/lib | wc -l"},
	{"sort and uniq", "printf 'b\\na\\nb\\n' | sort | uniq -c"},
	{"head", "head -c 100 /etc/services"},
	{"tail", "tail -n 3 /etc/services"},
	{"dd", "dd if=/dev/zero of=z bs=1k count=20 status=none"},
	{"grep", "grep -r root /etc/passwd /etc/group"},
	{"sed", "sed -n 's/root/toor/p' /etc/passwd"},
	{"comm", "printf 'a\\nb\\n' > x; comm x x"},
	{"tr and cut", "cut -d: -f1 /etc/passwd | tr a-z A-Z"},
	{"tee", "echo text | tee one two"},
	{"touch and chmod", "touch f; chmod 600 f; test -r f"},
	{"mkdir and rmdir", "mkdir d; rmdir d"},
	{"du", "mkdir d; echo x > d/f; du -a d"},
	{"md5sum", "md5sum /etc/services"},
	{"base64", "base64 /etc/hostname | base64 -d"},
	{"env and printf", "env -i A=b printf '%s\\n' x"},
	{"date", "date -u -d @0"},
	{"uname", "uname -a"},
	{"sleep", "sleep 0.01"},
	{"id", "id -u"},
	{"test", "test -f /etc/passwd && test ! -d /etc/passwd"},
	{"loop of commands", "for i in 1 2 3; do cat /etc/hostname; done"},
	{"missing command", "no-such-command; true"},
	{"subshells", "(echo a; (echo b)) | cat"},
	{"background and wait", "cat /etc/hostname & wait"},
	{"here document", "cat <<X\nline\nX"},
	{"bash", "bash: bash -c 'x=(1 2 3); echo ${#x[@]}; read a < /etc/hostname; echo $a'"},
	{"bash trap", "bash: bash -c 'trap \"echo got\" USR1; kill -USR1 $$; echo end'"},
	{"odd names", "printf x > 'a\"b\\\\c'; cat 'a\"b\\\\c'"},
	{"long arguments", "echo one two three four five six seven eight nine ten eleven twelve"},
	{"tar", "tar: mkdir d; echo x > d/f; tar cf t.tar d; tar tf t.tar"},
	{"gzip", "gzip: echo text > f; gzip f; gzip -dc f.gz"},
	{"compile", "gcc: echo 'int main(void) { return 0; }' > m.c; gcc -S m.c -o m.s"},
	{"git", "git: git --version; echo x > f; git hash-object f; git diff --no-index /etc/hostname f; true"},
	{"diff", "diff /etc/passwd /etc/group > d; true"},
	{"xargs", "printf 'a b c' | xargs -n1 echo"},
	{"sqlite", "sqlite3: sqlite3 :memory: 'select 1 + 1'"},
	{"python files", "/usr/bin/python3: /usr/bin/python3 -S -E -c 'import os; open(\"f\",\"w\").write(\"x\"); print(os.listdir(\".\"))'"},
	{"python sockets", "/usr/bin/python3: " + pythonScript(pythonSockets)},
	{"python vectors", "/usr/bin/python3: " + pythonScript(pythonVectors)},
	{"python messages", "/usr/bin/python3: " + pythonScript(pythonMessages)},
	{"python terminal", "/usr/bin/python3: " + pythonScript(pythonTerminal)},
	{"threaded server", "/usr/bin/python3: " + pythonScript(pythonServer)},
	{"curl", "curl: curl -s file:///etc/hostname; curl -s http://127.0.0.1:9/; true"},
	{"python waiting", "/usr/bin/python3: " + pythonScript(pythonWaiting)},
}

// pythonScript runs a script without touching the shell's quoting.
func pythonScript(s string) string {
	return "cat > s.py <<'END'\n" + s + "END\n/usr/bin/python3 -S -E s.py"
}

const (
	pythonSockets = `
import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(5)
for i in range(2):
    c = socket.create_connection(s.getsockname()); c.sendall(b"hello")
    a, _ = s.accept(); a.sendall(a.recv(100)); a.close()
    print(c.recv(100)); c.close()
u = socket.socket(socket.AF_UNIX); u.bind("sock"); u.listen(1)
d = socket.socket(socket.AF_UNIX); d.connect("sock")
try: socket.socket(socket.AF_UNIX).connect("nothing")
except OSError: pass
x = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); x.bind(("127.0.0.1", 0)); x.sendto(b"dgram", x.getsockname()); print(x.recvfrom(10))
`
	pythonVectors = `
import os
f = os.open("f", os.O_RDWR | os.O_CREAT, 0o600)
os.writev(f, [b"one", b"", b"three" * 20]); os.lseek(f, 0, 0)
os.readv(f, [bytearray(2), bytearray(30), bytearray(100)])
os.pwritev(f, [b"x"], 0); os.preadv(f, [bytearray(3)], 0)
os.writev(f, [b"%d" % i for i in range(100)])
try: os.read(99, 1)
except OSError: pass
`
	pythonMessages = `
import socket, os, array
a, b = socket.socketpair()
a.sendmsg([b"one", b"two"]); print(b.recvmsg(100))
r, w = os.pipe()
a.sendmsg([b"fds"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [r, w]))])
m = b.recvmsg(100, socket.CMSG_SPACE(8))
a.sendmsg([b"x" * 100]); b.recvmsg_into([bytearray(10), bytearray(200)])
`
	pythonTerminal = `
import array, fcntl, os, pty, termios
m, s = pty.openpty()
termios.tcgetattr(s)
fcntl.ioctl(s, termios.TIOCGWINSZ, b"x" * 8)
r, w = os.pipe(); os.write(w, b"waiting")
fcntl.ioctl(r, termios.FIONREAD, array.array("i", [0]), True)
try: fcntl.ioctl(r, termios.TIOCGWINSZ, b"x" * 8)
except OSError: pass
`
	pythonServer = `
import socket, threading
def serve(c):
    with c: c.sendall(c.recv(100)[::-1])
def listen():
    for i in range(4): threading.Thread(target=serve, args=s.accept()[:1]).start()
s = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=listen).start()
for i in range(4):
    with socket.create_connection(s.getsockname()) as c: c.sendall(b"request"); c.recv(100)
`
	pythonWaiting = `
import select, os, time
r, w = os.pipe()
p = select.poll(); p.register(r, select.POLLIN); p.poll(1); os.write(w, b"x"); p.poll(100)
select.select([r], [w], [], 0)
e = select.epoll(); e.register(r, select.EPOLLIN); e.poll(0); e.modify(r, select.EPOLLOUT); e.unregister(r)
time.sleep(0.001)
pid = os.fork()
if pid == 0: os._exit(3)
os.waitpid(pid, 0)
os.getcwd(); os.uname(); os.readlink("/proc/self/exe")
`
)
