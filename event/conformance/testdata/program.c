// What this program does is its first argument. It marks where it is by dup of a
// descriptor that is not open: libc makes no such call.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char **self;

static void mark(int n)
{
	syscall(SYS_dup, n);
}

// Waits until a task of this process or a child is inside pause.
static void await_pause(int pid, int tid)
{
	char path[64], text[16];
	int want = snprintf(text, sizeof(text), "%d ", SYS_pause);
	char have[16];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	for (;;) {
		int fd = open(path, O_RDONLY);
		int n = fd < 0 ? -1 : read(fd, have, want);

		if (fd >= 0)
			close(fd);
		if (n == want && !memcmp(have, text, want))
			return;
		usleep(1000);
	}
}

static void *three(void *arg)
{
	for (long i = 0; i < 3; i++)
		mark((long)arg + i);
	return NULL;
}

static int sleeper;

static void *sleeps(void *arg)
{
	(void)arg;
	__atomic_store_n(&sleeper, gettid(), __ATOMIC_SEQ_CST);
	syscall(SYS_pause);
	return NULL;
}

static void *becomes(void *arg)
{
	(void)arg;
	await_pause(getpid(), getpid());
	mark(5000);
	execl(self[0], self[0], "calls", NULL);
	return NULL;
}

static void nothing(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t[2];
	int pid;

	self = argv;
	if (!strcmp(what, "calls")) {
		mark(1000);
		syscall(SYS_getppid);
		mark(1001);
		_exit(7);
	} else if (!strcmp(what, "threads")) {
		for (long i = 0; i < 2; i++) {
			pthread_create(&t[i], NULL, three, (void *)(2000 + 10 * i));
			pthread_join(t[i], NULL);
		}
	} else if (!strcmp(what, "forks")) {
		for (int i = 0; i < 2; i++) {
			pid = fork();
			if (!pid) {
				mark(3000 + i);
				_exit(3 + i);
			}
			waitpid(pid, NULL, 0);
			mark(3010 + i);
		}
	} else if (!strcmp(what, "exec")) {
		mark(4000);
		execl("/nonexistent/program", "x", NULL);
		execl(argv[0], argv[0], "calls", NULL);
	} else if (!strcmp(what, "thread-exec")) {
		pthread_create(&t[0], NULL, becomes, NULL);
		syscall(SYS_pause);
	} else if (!strcmp(what, "signal")) {
		signal(SIGUSR1, nothing);
		kill(getpid(), SIGUSR1);
		mark(6000);
		signal(SIGUSR1, SIG_DFL);
		kill(getpid(), SIGUSR1);
	} else if (!strcmp(what, "killed")) {
		pid = fork();
		if (!pid) {
			syscall(SYS_pause);
			_exit(1);
		}
		await_pause(pid, pid);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		mark(7000);
	} else if (!strcmp(what, "unfinished")) {
		pthread_create(&t[0], NULL, sleeps, NULL);
		while (!__atomic_load_n(&sleeper, __ATOMIC_SEQ_CST))
			usleep(1000);
		await_pause(getpid(), sleeper);
		mark(8000);
	} else if (!strcmp(what, "string")) {
		syscall(SYS_openat, AT_FDCWD, "/nonexistent/conformance", O_RDONLY);
	} else if (!strcmp(what, "many")) {
		for (int i = 0; i < 20000; i++)
			mark(10000 + i);
	} else if (!strcmp(what, "told")) {
		char c;

		pthread_create(&t[0], NULL, sleeps, NULL);
		while (!__atomic_load_n(&sleeper, __ATOMIC_SEQ_CST))
			usleep(1000);
		if (write(1, "r", 1) != 1 || read(0, &c, 1) != 1)
			return 1;
		mark(9000);
		pthread_create(&t[1], NULL, three, (void *)9010L);
		pthread_join(t[1], NULL);
	}
	return 0;
}
