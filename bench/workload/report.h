// What every workload tells when it is done: times by CLOCK_MONOTONIC, CPU time
// of itself and its children, and how often it made which call. It goes to a file
// and not to stdout, which a tracer may use too.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct report {
	long long main, begin, end; // ns
	int calls;
	struct {
		const char *name;
		long n;
	} call[8];
};

static inline long long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static inline void counted(struct report *r, const char *name, long n) {
	r->call[r->calls].name = name;
	r->call[r->calls++].n = n;
}

static long long cpu_of(int who) {
	struct rusage u;
	getrusage(who, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

static int tell(const struct report *r, const char *path) {
	char b[1024];
	int n = snprintf(b, sizeof b, "main %lld\nbegin %lld\nend %lld\ncpu %lld\n", r->main, r->begin, r->end,
		cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN));
	for (int i = 0; i < r->calls; i++)
		n += snprintf(b + n, sizeof b - n, "call %s %ld\n", r->call[i].name, r->call[i].n);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, b, n) != n) {
		perror(path);
		return 1;
	}
	close(fd);
	return 0;
}
