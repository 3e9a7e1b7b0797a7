// hold REPORT READY GO: creates the file READY, then waits until somebody has
// opened the FIFO GO and closed it: a target that does nothing.
#include "report.h"

int main(int argc, char **argv) {
	static struct report r;
	char c;
	r.main = now();
	if (argc < 4)
		return 2;
	int ready = open(argv[2], O_WRONLY | O_CREAT, 0600);
	if (ready < 0)
		return 1;
	close(ready);
	r.begin = now();
	int go = open(argv[3], O_RDONLY);
	if (go < 0 || read(go, &c, 1) != 0)
		return 1;
	r.end = now();
	return tell(&r, argv[1]);
}
