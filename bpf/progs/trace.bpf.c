// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The programs. Each is a tp_btf program: unlike a classic tracepoint program it
 * can't silence other perf users of the tracepoint, and it is cheaper. */
#include "kernel.h"
#include "abi.h"
#include "maps.h"
#include "regs.h"
#include "filter.h"
#include "batch.h"
#include "capture.h"
#include "calls.h"
#include "tasks.h"
#include "count.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* bpf2go makes Go types of these. */
const struct rec *unused_rec __attribute__((unused));
const struct rec_task *unused_rec_task __attribute__((unused));
const struct span *unused_span __attribute__((unused));
const struct count *unused_count __attribute__((unused));
const struct other_call *unused_other_call __attribute__((unused));
const struct dump *unused_dump __attribute__((unused));
const enum plan_flags *unused_plan_flags __attribute__((unused));
const enum rec_kind *unused_rec_kind __attribute__((unused));
const enum rec_flags *unused_rec_flags __attribute__((unused));
const enum task_flags *unused_task_flags __attribute__((unused));
const enum batch_limits *unused_batch_limits __attribute__((unused));
const enum image_limits *unused_image __attribute__((unused));

SEC("tp_btf/sys_enter")
int call_enter(u64 *ctx)
{
	return on_enter(ctx, (struct pt_regs *)ctx[0], (s32)ctx[1]);
}

SEC("tp_btf/sys_exit")
int call_exit(u64 *ctx)
{
	return on_exit(ctx, (struct pt_regs *)ctx[0], (s64)ctx[1]);
}

/* Instead of those two, to add calls up. */
SEC("tp_btf/sys_enter")
int count_enter(u64 *ctx)
{
	return on_count_enter((struct pt_regs *)ctx[0], (s32)ctx[1]);
}

SEC("tp_btf/sys_exit")
int count_exit(u64 *ctx)
{
	return on_count_exit((struct pt_regs *)ctx[0], (s64)ctx[1]);
}

/* (preempted, prev, next) */
SEC("tp_btf/sched_switch")
int task_switch(u64 *ctx)
{
	on_switch((struct task_struct *)ctx[1], (struct task_struct *)ctx[2]);
	return 0;
}

/* (parent, child) */
SEC("tp_btf/sched_process_fork")
int task_fork(u64 *ctx)
{
	hold();
	on_fork(ctx, (struct task_struct *)ctx[0], (struct task_struct *)ctx[1]);
	let_go();
	return 0;
}

/* (task, old pid, bprm) */
SEC("tp_btf/sched_process_exec")
int task_exec(u64 *ctx)
{
	hold();
	on_exec(ctx, (struct task_struct *)ctx[0], (u32)ctx[1], (struct linux_binprm *)ctx[2]);
	let_go();
	return 0;
}

/* (task); since Linux 6.16 also whether its process is dead */
SEC("tp_btf/sched_process_exit")
int task_exit(u64 *ctx)
{
	hold();
	on_task_exit(ctx, (struct task_struct *)ctx[0]);
	let_go();
	return 0;
}

/* (task, new comm) */
SEC("tp_btf/task_rename")
int task_rename(u64 *ctx)
{
	hold();
	on_rename(ctx, (struct task_struct *)ctx[0], (const char *)ctx[1]);
	let_go();
	return 0;
}

/* (sig, info, action) */
SEC("tp_btf/signal_deliver")
int signal_deliver(u64 *ctx)
{
	hold();
	on_signal(ctx, ctx[0], (void *)ctx[1], (struct k_sigaction *)ctx[2]);
	let_go();
	return 0;
}

/* (sig, info, task, group, result) */
SEC("tp_btf/signal_generate")
int signal_generate(u64 *ctx)
{
	hold();
	on_ignored(ctx, ctx[0], (void *)ctx[1], (struct task_struct *)ctx[2], (u32)ctx[4]);
	let_go();
	return 0;
}

/* User space runs this on a CPU (BPF_F_TEST_RUN_ON_CPU) whose batch is pending. */
SEC("raw_tp/flush")
int flush(u64 *ctx)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct batch *b = get_batch();

	if (c && b && !*(volatile u32 *)&c->busy && c->pending)
		hand_over(ctx, c, b);
	return 0;
}

/* Dumps the state of every task that has one. */
SEC("iter/task")
int dump_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *st;
	struct dump d = {};

	if (!task)
		return 0;
	d.tid = task->pid;
	d.tgid = task->tgid;
	st = find_state(task, d.tid);
	if (!st || !(st->flags & T_TRACED))
		return 0;
	d.state = *st;
	bpf_seq_write(ctx->meta->seq, &d, sizeof(d));
	return 0;
}
