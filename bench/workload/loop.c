// loop REPORT MODE N: about N calls in a loop, in one thread or several.
#include <pthread.h>
#include <sys/syscall.h>
#include "report.h"

static long share; // calls of a thread
static pthread_barrier_t gate;

static void getppids(long n) {
	while (n-- > 0)
		syscall(SYS_getppid); // libc may not remember the answer
}

static void *thread(void *unused) {
	pthread_barrier_wait(&gate);
	getppids(share);
	return unused;
}

static void threads(struct report *r, int k, long n) {
	pthread_t t[16];
	share = n / k;
	pthread_barrier_init(&gate, NULL, k + 1);
	for (int i = 0; i < k; i++)
		if (pthread_create(&t[i], NULL, thread, NULL) != 0)
			exit(1);
	r->begin = now();
	pthread_barrier_wait(&gate);
	for (int i = 0; i < k; i++)
		pthread_join(t[i], NULL);
	r->end = now();
	counted(r, "getppid", share * k);
}

static int opened(const char *path, int flags) {
	int fd = open(path, flags);
	if (fd < 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv) {
	static struct report r;
	char buf[64];
	r.main = now();
	if (argc < 4)
		return 2;
	const char *mode = argv[2];
	long n = atol(argv[3]);
	if (strcmp(mode, "getppid") == 0) {
		r.begin = now();
		getppids(n);
		r.end = now();
		counted(&r, "getppid", n);
	} else if (strcmp(mode, "read") == 0) {
		int fd = opened("/dev/zero", O_RDONLY);
		r.begin = now();
		for (long i = 0; i < n; i++)
			if (read(fd, buf, 1) != 1)
				return 1;
		r.end = now();
		counted(&r, "read", n);
	} else if (strcmp(mode, "write") == 0) {
		int fd = opened("/dev/null", O_WRONLY);
		memset(buf, 'w', sizeof buf);
		r.begin = now();
		for (long i = 0; i < n; i++)
			if (write(fd, buf, sizeof buf) != sizeof buf)
				return 1;
		r.end = now();
		counted(&r, "write", n);
	} else if (strcmp(mode, "openat") == 0) {
		r.begin = now();
		for (long i = 0; i < n; i++)
			if (openat(AT_FDCWD, "/etc/does-not-exist", O_RDONLY) >= 0)
				return 1;
		r.end = now();
		counted(&r, "openat", n);
	} else if (strcmp(mode, "file") == 0) {
		n /= 4;
		r.begin = now();
		for (long i = 0; i < n; i++) {
			int fd = openat(AT_FDCWD, argv[0], O_RDONLY | O_CLOEXEC);
			if (read(fd, buf, sizeof buf) != sizeof buf || lseek(fd, 0, SEEK_SET) != 0 || close(fd) != 0)
				return 1;
		}
		r.end = now();
		counted(&r, "openat", n);
		counted(&r, "read", n);
		counted(&r, "lseek", n);
		counted(&r, "close", n);
	} else if (strncmp(mode, "threads", 7) == 0 && atoi(mode + 7) > 0 && atoi(mode + 7) <= 16) {
		threads(&r, atoi(mode + 7), n);
	} else {
		return 2;
	}
	return tell(&r, argv[1]);
}
