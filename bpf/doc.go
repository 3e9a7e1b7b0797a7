// Package bpf traces with eBPF programs: they choose calls and tasks, copy what
// the calls' arguments point to, and count, in the kernel. It is the default
// backend.
//
//	sys_enter ─► call in the set? task traced? ─► remember it in the task's state
//	             └─ memory that exit will not have ─► entry record ─┐
//	sys_exit  ─► the same ─► result kept? ─► copy memory by plan ─► record
//	fork exec exit rename signal ─► small records ──────────────────┤
//	                                                       batch of the CPU
//	                        full, or flushed on our tick ─► ring ─► mmap.Group ─► Source.Next
//
// Terms (those of package event, and):
//
//	slot      abi<<9 | number: a call's place in the map of plans
//	state     what the kernel keeps for a traced task: flags, the call in
//	          progress, how many calls it has made
//	batch     records of a CPU that have not been handed to its ring yet
//	flush     a program that user space runs on a CPU to hand its batch over
//	round     one flush of all batches, and the units up to the time it began
//	seed      a task that is to be traced and has no state yet
//
// The C is in progs; progs/abi.h is the master copy of what both sides share.
// The objects are committed, so building needs no clang.
//
// # The ledger
//
// A call counts at its exit (exit and exit_group: at their entry). The program
// numbers the calls of each task. A call that finds no room in the batch gets a
// number but no record, and counts as lost; so a jump in a task's numbers is the
// number of its calls that are missing right there, and becomes a KindLost
// event. What is in the batch is never lost: while the ring is full it stays,
// and new calls are dropped. A last part of the batch is left to the records
// about tasks.
//
// The kernel does not run a program twice at once on a CPU. Until Linux 6.19
// nothing can come in between; since 7.0 programs on tracepoints can be
// preempted, and calls that another task makes meanwhile are not seen. The
// kernel counts them, also those that are not in the set: Lost[event.Missed] is
// the most that can be missing of ours. While a call is worked on the programs
// forbid preemption, so that no record is torn.
//
// # What is not here
//
// Numbers are those of the init pid namespace. The hooks are tp_btf programs,
// which every kernel with BTF has since Linux 5.5. Strings of an execve that
// succeeded can't be had if their page was not present at its entry.
package bpf
