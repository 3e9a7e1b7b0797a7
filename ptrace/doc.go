// Package ptrace is the event.Source that stops its targets: strace's way. It
// is slow by nature, loses nothing, and works where perf and BPF are refused.
//
// The way of the data:
//
//	wait4 ─ a stop of a task ─► what kind? ─ call entry or exit ─ PTRACE_GET_SYSCALL_INFO
//	                                │                    └ memory by the plan: event.Interpreter over process_vm_readv
//	                                └ signal, group-stop, fork, exec, exit: small events
//	the task goes on (PTRACE_SYSCALL) ─► Next returns the event, while the task already runs
//
// The kernel accepts ptrace requests for a task only from the thread that
// attached to it. So Open locks its goroutine to its thread until Close, and all
// the work is done inside Next: an event is handed over by returning it, which
// costs no switch between threads.
//
// Terms:
//
//	stop     a tracee waits for its tracer; wait4 tells once
//	held     the command before its execve: its calls are not told
//	newborn  a task whose first stop came before the stop of its parent that tells of it
//	quiet    a call in progress that is not in the call set: its exit is not looked at
package ptrace
