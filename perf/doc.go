// Package perf traces by the tracepoints raw_syscalls:sys_enter and sys_exit,
// without eBPF: six raw arguments and a result for each call, no memory. It also
// holds what every user of perf_event_open needs: opening, access errors,
// tracefs, CPUs. The rings are read by package mmap.
//
//	CPU 0: enter ─┐                        ┌► Pairer: entry + exit = one call
//	       exit  ─┼─► ring 0 ─┐            │
//	       side  ─┘           ├─► Group ───┴► gaps, births, deaths, names ──► event.Event
//	CPU 1: …      ──► ring 1 ─┘
//
// Terms:
//
//	enter, exit  the events of the two tracepoints; one of each for every CPU,
//	             and for every task where tasks are chosen
//	side         a dummy event beside them that makes the kernel write records
//	             about fork, exit and the names of tasks; separate, so that the
//	             lost count of exit is the lost count of calls
//	owner        the event that the ring of a CPU is mapped by; it writes nothing
//
// # The ledger
//
// sys_exit tells a call's number and result, so a call whose entry was lost is
// still shown, without arguments. A call is lost if its exit was lost: the
// kernel counts those for each event (PERF_FORMAT_LOST, Linux 6.0). What never
// returns (exit, exit_group) has no exit and counts by its entry; a lost one is
// found by what is missing in the end, see Source.Ledger.
//
// # What this backend can't tell
//
// No memory, no signals, and a wait status only
// where exit or exit_group was seen (else StatusUnknown). int $0x80 made
// by 64-bit code has i386 numbers, but the kernel calls the task a 64-bit one.
package perf
