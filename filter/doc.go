// Package filter turns what a person wrote about which calls they want to see
// into sets that the other parts can test or push into the kernel.
//
// The way of the data:
//
//	-e trace=EXPR ─ ParseTrace ┐                 ┌ Calls.Sets → event.Plan.Calls → bpf's map
//	--filter LIST ─ ParseList ─┴► Calls ─────────┼ Tracepoint(Sets) → PERF_EVENT_IOC_SET_FILTER
//	                                             └ Calls.Keep: the rest, in user space
//	-e status= -e errno= --duration → ParseStatus, ParseErrnos, ParseDuration → event.ResultFilter
//	-e signal= → ParseSignals; -e trace-fds=, read=, write= → ParseDescriptors
//
// Terms:
//
//	expression  what stands behind -e trace=: strace's language
//	list        what stands behind --filter: the same, with people's names
//	class       strace's group of calls, written %file
//	family      a people's name for calls that do the same: open, stat, fork
//	slot        a place in a Calls: see set.go
//
// The package is pure: it makes no system call and keeps no state.
package filter
