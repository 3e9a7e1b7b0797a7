/* Signals of all kinds: handled, ignored, blocked, deadly, stopping; and a thread
 * that calls execve. mark() stands between them in the trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handler(int sig) { (void)sig; syscall(SYS_getppid); }
static void act(int sig, void (*h)(int), int flags)
{
	struct sigaction a = {.sa_handler = h, .sa_flags = flags};
	sigaction(sig, &a, 0);
}
static pid_t child(void (*f)(void))
{
	pid_t pid = fork();
	if (!pid) { usleep(100000); f(); _exit(0); }
	return pid;
}
static void mark(int n) { syscall(SYS_close, 1000 + n); }

static void stops(void) { raise(SIGSTOP); mark(1); usleep(100000); raise(SIGTSTP); mark(2); usleep(100000); }
static void dies(void) { for (;;) pause(); }
static void faults(void) { *(volatile int *)16 = 0; }
static void aborts(void) { abort(); }
static void self(void) { kill(getpid(), SIGTERM); }
/* The parent is in wait4 when its child ends, and when its helper does. */
static void later(pid_t pid, int sig)
{
	pid_t helper = fork();

	if (!helper) { usleep(200000); kill(pid, sig); usleep(100000); _exit(0); }
	waitpid(pid, 0, 0);
	waitpid(helper, 0, 0);
}
static void *other(void *arg) { char *argv[] = {"sig", "end", 0}; (void)arg; execv("/proc/self/exe", argv); return 0; }
static void *waits(void *arg) { for (;;) pause(); return arg; }
static void execs(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, waits, 0);
	usleep(100000);
	pthread_create(&b, 0, other, 0);
	for (;;) pause();
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;
	sigset_t set;
	struct rlimit none = {0, 0};
	int fd[2];
	char c;

	if (argc > 1) { mark(99); return 7; }
	setrlimit(RLIMIT_CORE, &none);
	/* handled */
	act(SIGUSR1, handler, 0);
	kill(getpid(), SIGUSR1); mark(10);
	union sigval v = {.sival_int = 5};
	act(SIGRTMIN + 1, handler, SA_SIGINFO);
	sigqueue(getpid(), SIGRTMIN + 1, v); mark(11);
	/* ignored */
	act(SIGUSR2, SIG_IGN, 0);
	kill(getpid(), SIGUSR2); mark(12);
	kill(getpid(), SIGWINCH); mark(13);
	/* blocked, two of them, then let in; one that is waited for */
	sigemptyset(&set); sigaddset(&set, SIGUSR1); sigaddset(&set, SIGUSR2); sigaddset(&set, SIGALRM);
	act(SIGUSR2, handler, 0); act(SIGALRM, handler, SA_RESTART);
	sigprocmask(SIG_BLOCK, &set, 0);
	kill(getpid(), SIGUSR2); mark(14); kill(getpid(), SIGUSR1); mark(15);
	sigprocmask(SIG_UNBLOCK, &set, 0); mark(16);
	sigprocmask(SIG_BLOCK, &set, 0);
	kill(getpid(), SIGUSR1); sigwaitinfo(&set, 0); mark(17);
	sigprocmask(SIG_UNBLOCK, &set, 0);
	/* calls that are interrupted: pause, read, nanosleep */
	act(SIGALRM, handler, 0);
	ualarm(20000, 0); pause(); mark(18);
	pipe(fd);
	ualarm(20000, 0); read(fd[0], &c, 1); mark(19);
	struct timespec t = {0, 200000000};
	ualarm(20000, 0); nanosleep(&t, &t); mark(20);
	act(SIGALRM, handler, SA_RESTART);
	if (!(pid = fork())) { usleep(200000); write(fd[1], "x", 1); usleep(100000); _exit(0); }
	ualarm(50000, 0);
	while (read(fd[0], &c, 1) < 0 && errno == EINTR) ;
	mark(21);
	wait(&status);
	/* stopped and continued, by its parent, which a tracer that stops it would
	 * interrupt with each SIGCHLD */
	act(SIGCHLD, SIG_DFL, SA_NOCLDSTOP);
	pid = child(stops);
	waitpid(pid, &status, WUNTRACED); kill(pid, SIGCONT);
	waitpid(pid, &status, WUNTRACED); kill(pid, SIGCONT);
	waitpid(pid, &status, 0); mark(22);
	/* deadly */
	pid = child(dies); later(pid, SIGKILL); mark(23);
	pid = child(dies); later(pid, SIGHUP); mark(24);
	waitpid(child(faults), &status, 0); mark(25);
	waitpid(child(aborts), &status, 0); mark(26);
	waitpid(child(self), &status, 0); mark(27);
	/* a thread that execs */
	waitpid(child(execs), &status, 0); mark(28);
	return 3;
}
