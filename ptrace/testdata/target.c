/* The targets of the tests: what each mode does is in its test. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *self;
static int count;

static void getppids(int n) { while (n-- > 0) syscall(SYS_getppid); }

static void *work(void *arg) { getppids(count); return arg; }

static void *work_later(void *arg)
{
	usleep(50000);
	return work(arg);
}

static void *wait_forever(void *arg) { pause(); return arg; }

static void *exec_self(void *arg)
{
	usleep(20000);
	execl(self, self, "getppid", "3", NULL);
	return arg;
}

static volatile uint64_t progress[16];

static void *spin(void *arg)
{
	for (;;) {
		syscall(SYS_getppid);
		progress[(long)arg]++;
	}
}

static void handler(int sig) { (void)sig; }

static void threads(int n, void *(*f)(void *))
{
	pthread_t t[64];
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	self = argv[0];
	count = argc > 2 ? atoi(argv[2]) : 1;
	if (!strcmp(mode, "getppid")) {
		getppids(count);
	} else if (!strcmp(mode, "open")) {
		for (int i = 0; i < count; i++)
			open("/nonexistent/path", O_RDONLY);
	} else if (!strcmp(mode, "fork")) {
		for (int i = 0; i < count; i++) {
			pid_t pid = fork();
			if (pid == 0) {
				getppids(2);
				_exit(i);
			}
			waitpid(pid, NULL, 0);
		}
	} else if (!strcmp(mode, "vfork")) {
		for (int i = 0; i < count; i++) {
			pid_t pid = vfork();
			if (pid == 0) {
				execl(self, self, "getppid", "1", NULL);
				_exit(127);
			}
			waitpid(pid, NULL, 0);
		}
	} else if (!strcmp(mode, "threads")) {
		threads(4, work);
	} else if (!strcmp(mode, "thread-exec")) {
		pthread_t t;
		pthread_create(&t, NULL, wait_forever, NULL);
		pthread_create(&t, NULL, exec_self, NULL);
		pause();
	} else if (!strcmp(mode, "leader-exits")) {
		pthread_t t;
		pthread_create(&t, NULL, work_later, NULL);
		pthread_exit(NULL);
	} else if (!strcmp(mode, "leader-gone")) {
		pthread_t t;
		write(1, "r", 1);
		pthread_create(&t, NULL, spin, NULL);
		pthread_exit(NULL);
	} else if (!strcmp(mode, "storm")) {
		/* Says "r", makes processes and threads, half of them killed, and
		 * says "k" when the last of them could be waited for. */
		write(1, "r", 1);
		for (int i = 0; i < count; i++) {
			pid_t pid = fork();
			if (pid == 0) {
				pid_t grandchild = fork();
				if (grandchild == 0) {
					threads(2, work);
					_exit(0);
				}
				if (i & 1)
					kill(grandchild, SIGKILL);
				waitpid(grandchild, NULL, 0);
				_exit(0);
			}
			if ((i & 7) == 7)
				kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		write(1, "k", 1);
	} else if (!strcmp(mode, "signals")) {
		sigset_t set;
		signal(SIGUSR1, handler);
		signal(SIGUSR2, SIG_IGN);
		sigemptyset(&set);
		sigaddset(&set, SIGHUP);
		signal(SIGHUP, handler);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		raise(SIGUSR2);
		raise(SIGHUP); /* pending until … */
		syscall(SYS_getppid);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		syscall(SYS_getpgid, 0);
		kill(getpid(), SIGTERM);
	} else if (!strcmp(mode, "stop")) {
		getppids(1);
		raise(SIGSTOP);
		getppids(2);
	} else if (!strcmp(mode, "pause")) {
		getppids(1);
		pause();
	} else if (!strcmp(mode, "int80")) {
#ifdef __x86_64__
		for (int i = 0; i < count; i++) {
			long ret;
			__asm__ volatile("int $0x80" : "=a"(ret) : "a"(64L) : "memory", "r8", "r9", "r10", "r11");
			if (ret != getppid())
				return 2;
		}
#endif
	} else if (!strcmp(mode, "spin")) {
		/* Nine threads with the first; says "ready", then each second byte
		 * on stdin: whether all of the eight get on, and no call fails. */
		pthread_t t;
		char c;
		for (long i = 0; i < 8; i++)
			pthread_create(&t, NULL, spin, (void *)i);
		write(1, "r", 1);
		while (read(0, &c, 1) == 1) {
			uint64_t before[8];
			int stuck = 1;
			memcpy(before, (void *)progress, sizeof before);
			for (int tries = 0; stuck && tries < 200; tries++) {
				stuck = 0;
				usleep(10000);
				for (int i = 0; i < 8; i++)
					stuck += progress[i] == before[i];
			}
			write(1, stuck ? "x" : "k", 1);
		}
	} else if (!strcmp(mode, "restart")) {
		struct timespec ts = { 0, 300000000 };
		signal(SIGUSR1, handler);
		if (fork() == 0) {
			usleep(100000);
			kill(getppid(), SIGCONT);
			_exit(0);
		}
		nanosleep(&ts, NULL);
	} else if (!strcmp(mode, "exec-fails")) {
		execl("/nonexistent/program", "x", NULL);
	} else if (!strcmp(mode, "rename")) {
		prctl(PR_SET_NAME, "new name");
		getppids(1);
	} else if (!strcmp(mode, "vforked-while-attached")) {
		write(1, "r", 1);
		pid_t pid = vfork();
		if (pid == 0) {
			/* The parent can't be stopped while this sleeps. */
			struct timespec ts = { 0, 500000000 };
			syscall(SYS_nanosleep, &ts, NULL);
			_exit(0);
		}
		getppids(1);
	}
	return 0;
}
