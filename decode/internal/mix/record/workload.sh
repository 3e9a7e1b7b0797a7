# What testdata/mix.gz is a recording of: a small program is built with make and
# gcc, put into a git repository, packed, and used with a few of the programs
# that people trace.
set -e
export HOME=/tmp/mix PATH=/usr/local/bin:/usr/bin:/bin LANG=C
rm -rf /tmp/mix
mkdir -p /tmp/mix/src
cd /tmp/mix/src
for i in 1 2 3 4 5 6; do
	printf '#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/socket.h>\nint f%d(int x) { char b[64]; snprintf(b, sizeof b, "%%d", x); return atoi(b) + %d; }\n' $i $i >f$i.c
done
printf '#include <stdio.h>\nint f1(int); int f6(int);\nint main(void) { printf("%%d\\n", f1(1) + f6(2)); return 0; }\n' >main.c
printf 'prog: main.o f1.o f2.o f3.o f4.o f5.o f6.o\n\tgcc -o $@ $^\n%%.o: %%.c\n\tgcc -O1 -c $<\nclean:\n\trm -f *.o prog\n' >Makefile
make -j2 >/dev/null
./prog >/dev/null
git -c init.defaultBranch=main init -q .
git add -A
git -c user.name=n -c user.email=e@example.org commit -qm first
git status >/dev/null
git log -p >/dev/null
tar -czf ../src.tar.gz .
mkdir ../copy
tar -xzf ../src.tar.gz -C ../copy
cp -a ../copy ../copy2
find .. -type f | sort | xargs md5sum >/dev/null
grep -r main . >/dev/null || true
ls -lR / --ignore=proc --ignore=sys --ignore=work 2>/dev/null | head -3000 >/dev/null || true
/usr/bin/python3 - <<'P'
import http.server, os, select, sqlite3, subprocess, tempfile, threading, urllib.request
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
s.RequestHandlerClass.log_message = lambda *a: None
threading.Thread(target=s.serve_forever, daemon=True).start()
for _ in range(20):
    urllib.request.urlopen("http://127.0.0.1:%d/Makefile" % s.server_port).read()
s.shutdown()
db = sqlite3.connect("/tmp/mix/db")
db.execute("create table t(a, b)")
for i in range(50):
    db.execute("insert into t values(?, ?)", (i, str(i)))
    db.commit()
r, w = os.pipe()
e = select.epoll()
e.register(r, select.EPOLLIN)
os.write(w, b"x")
e.poll(0)
with tempfile.TemporaryDirectory() as d:
    for i in range(20):
        open(d + "/%d" % i, "w").write("x" * 5000)
        os.rename(d + "/%d" % i, d + "/n%d" % i)
        os.chmod(d + "/n%d" % i, 0o600)
subprocess.run(["sh", "-c", "ps ax | wc -l; sleep 0.05; id; date"], stdout=subprocess.DEVNULL)
P
perl -e 'for (1..50) { open F, "<", "main.c"; my @l = <F>; close F } kill 0, $$; sleep 0'
rm -rf /tmp/mix
