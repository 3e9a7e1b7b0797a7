// pingpong REPORT MODE N: about N calls that wait for each other. futex: two
// threads that take turns; pipe: three processes that hand one byte around.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "report.h"

static atomic_int turn;
static long rounds;

// Counts its calls, since a wait that comes too late is repeated or left out.
static long take_turns(int me) {
	long made = 0;
	for (long i = 0; i < rounds; i++) {
		int seen;
		while ((seen = atomic_load(&turn)) != me) {
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
			made++;
		}
		atomic_store(&turn, 1 - me);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		made++;
	}
	return made;
}

static atomic_int other_tid;

static void *other(void *unused) {
	atomic_store(&other_tid, syscall(SYS_gettid));
	return (void *)take_turns(1);
}

static void futexes(struct report *r, long n) {
	pthread_t t;
	void *made;
	rounds = n / 4;
	if (pthread_create(&t, NULL, other, NULL) != 0)
		exit(1);
	r->begin = now();
	long mine = take_turns(0);
	r->end = now();
	// Once the thread is gone, joining it takes no futex call, which is not counted.
	while (syscall(SYS_tgkill, getpid(), atomic_load(&other_tid), 0) == 0)
		usleep(100);
	pthread_join(t, &made);
	counted(r, "futex", mine + (long)made);
}

static void must(int ok) {
	if (!ok) {
		perror("pingpong");
		exit(1);
	}
}

static void pipes(struct report *r, long n) {
	int p[3][2];
	char c = 'x';
	rounds = n / 6;
	for (int i = 0; i < 3; i++)
		must(pipe(p[i]) == 0);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		must(child >= 0);
		if (child == 0) {
			for (long k = 0; k < rounds; k++)
				must(read(p[i][0], &c, 1) == 1 && write(p[i + 1][1], &c, 1) == 1);
			_exit(0);
		}
	}
	r->begin = now();
	for (long k = 0; k < rounds; k++)
		must(write(p[0][1], &c, 1) == 1 && read(p[2][0], &c, 1) == 1);
	r->end = now();
	must(wait(NULL) > 0 && wait(NULL) > 0);
	counted(r, "read", 3 * rounds);
	counted(r, "write", 3 * rounds);
}

int main(int argc, char **argv) {
	static struct report r;
	r.main = now();
	if (argc < 4)
		return 2;
	if (strcmp(argv[2], "futex") == 0)
		futexes(&r, atol(argv[3]));
	else if (strcmp(argv[2], "pipe") == 0)
		pipes(&r, atol(argv[3]));
	else
		return 2;
	return tell(&r, argv[1]);
}
