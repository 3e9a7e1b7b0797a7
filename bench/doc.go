// Bench measures perftrace beside strace, perf trace, bpftrace and others, on
// workloads whose calls are counted, and prints what each costs and what it shows.
//
//	go run ./bench              everything, under 15 minutes
//	go run ./bench -quick       a part of it, under 2 minutes
//	go run ./bench -only '^getppid/|^find/(bpf|strace)$'
//
// Words: a workload is a program of workload/ or a real job; a variant is a tracer
// with its options; a cell is a workload under a variant; a run is a cell once.
// In every round each cell is run once, so that all kinds take turns (A B C A B C)
// and a slow moment of the machine hits them all. A run is compared with the bare
// run of the same workload in the same round; of these differences the median
// and the spread, half the distance from the lower to the upper quartile, are
// printed.
//
// The way of the data: main plans the cells (workload.go, variant.go) → run.go
// runs one → count.go counts what the tracer showed → stats.go, table.go and
// claims.go say it.
package main
