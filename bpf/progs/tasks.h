/* SPDX-License-Identifier: GPL-2.0 */
/* Birth, exec, renaming and death of tasks, and signals. These records are few,
 * and may use the part of the batch that calls leave free. */
#ifndef PERFTRACE_TASKS_H
#define PERFTRACE_TASKS_H

/* Begin a record about the task in st; NULL: no room. Ends with end_task. */
static __always_inline struct rec_task *begin_task(void *ctx, struct cpu *c, struct batch *b, u32 kind, u32 tid,
						   u32 tgid, u64 seq, u32 cpu)
{
	struct rec_task *r;

	if (!room(ctx, c, b, batch_hard)) {
		c->tasks_lost++;
		return NULL;
	}
	r = (struct rec_task *)rec_at(b, c->pending);
	r->len = sizeof(*r);
	r->kind = kind;
	r->abi = 0;
	r->flags = 0;
	r->time = bpf_ktime_get_ns();
	r->enter = 0;
	r->tgid = tgid;
	r->tid = tid;
	r->seq = seq;
	r->value = 0;
	r->cpu = cpu;
	r->child_tgid = 0;
	r->info_len = 0;
	return r;
}

#define TASK_RECORD_PROLOGUE                                                    \
	u32 cpu = bpf_get_smp_processor_id();                                  \
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);                      \
	struct batch *b = bpf_map_lookup_elem(&batches, &cpu);                 \
	u64 pid_tgid = bpf_get_current_pid_tgid();                             \
	u32 tid = pid_tgid, tgid = pid_tgid >> 32;                             \
	struct rec_task *r;                                                    \
	struct task_state *st;                                                 \
                                                                               \
	if (!c || !b)                                                          \
		return 0

static __always_inline int on_fork(void *ctx, struct task_struct *parent, struct task_struct *child)
{
	struct task_state init = {};
	u32 child_tid, child_tgid;
	TASK_RECORD_PROLOGUE;

	st = own_state(parent, tid);
	child_tid = child->pid;
	child_tgid = child->tgid;
	if (trace_all && st && st->flags & T_EXCLUDED && child_tgid != tgid) {
		init.flags = T_TRACED | T_THREADS | T_PROCESSES | T_NEWBORN;
		make_state(child, child_tid, &init);
		return 0;
	}
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	if (!(st->flags & (child_tgid == tgid ? T_THREADS : T_PROCESSES)))
		return 0;
	init.flags = (st->flags & (T_TRACED | T_THREADS | T_PROCESSES)) | T_NEWBORN;
	if (!make_state(child, child_tid, &init))
		no_slot();
	begin_append(c);
	r = begin_task(ctx, c, b, REC_FORK, tid, tgid, st->seq, cpu);
	if (r) {
		r->value = child_tid;
		r->child_tgid = child_tgid;
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

static __always_inline int on_exec(void *ctx, struct task_struct *task, u32 old_tid)
{
	TASK_RECORD_PROLOGUE;

	if (!use_storage && old_tid != tid) {
		/* A thread that execs takes the place of its leader. */
		st = bpf_map_lookup_elem(&task_hash, &old_tid);
		if (st) {
			bpf_map_update_elem(&task_hash, &tid, st, BPF_ANY);
			bpf_map_delete_elem(&task_hash, &old_tid);
		}
	}
	st = own_state(task, tid);
	if (!st || !(st->flags & T_TRACED))
		return 0;
	st->flags &= ~T_WAIT_EXEC;
	begin_append(c);
	r = begin_task(ctx, c, b, REC_EXEC, tid, tgid, st->seq, cpu);
	if (r) {
		r->value = old_tid;
		bpf_probe_read_kernel(r->data, 16, &task->comm);
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

/* A task that ends inside a call: that call will not return. */
static __always_inline void end_call(void *ctx, struct cpu *c, struct batch *b, struct task_state *st, u64 pid_tgid,
				     u32 cpu)
{
	u64 time = bpf_ktime_get_ns();
	struct rec *r;

	c->matched++;
	if (filter_results) {
		c->filtered++;
		return;
	}
	st->seq++;
	if (!room(ctx, c, b, batch_soft)) {
		c->lost[LOST_RING_FULL]++;
		return;
	}
	r = rec_at(b, c->pending);
	r->kind = REC_NO_RETURN;
	r->abi = st->abi;
	r->flags = st->enter ? R_ENTER : 0;
	if (st->flags & T_PART)
		r->flags |= R_PART;
	if (st->flags & T_PART_LOST)
		r->flags |= R_PART_LOST;
	r->time = time;
	r->enter = st->enter;
	r->tgid = pid_tgid >> 32;
	r->tid = pid_tgid;
	r->seq = st->seq;
	r->nr = st->nr;
	r->cpu = cpu;
	r->ret = 0;
	r->args[0] = st->args[0];
	r->args[1] = st->args[1];
	r->args[2] = st->args[2];
	r->args[3] = st->args[3];
	r->args[4] = st->args[4];
	r->args[5] = st->args[5];
	r->len = sizeof(*r);
	c->emitted++;
	c->calls++;
	append(ctx, c, b, sizeof(*r), r->time);
}

static __always_inline int on_task_exit(void *ctx, struct task_struct *task)
{
	TASK_RECORD_PROLOGUE;

	st = find_state(task, tid);
	if (!st || !(st->flags & T_TRACED))
		return 0;
	begin_append(c);
	if (st->flags & T_IN_CALL && !(st->flags & T_WAIT_EXEC))
		end_call(ctx, c, b, st, pid_tgid, cpu);
	r = begin_task(ctx, c, b, REC_EXIT, tid, tgid, st->seq, cpu);
	if (r) {
		r->value = task->exit_code;
		if (task->signal->live.counter == 0)
			r->flags = R_GROUP;
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	/* Whatever may come of this task still is not a call. */
	st->flags = 0;
	if (!use_storage)
		bpf_map_delete_elem(&task_hash, &tid);
	return 0;
}

static __always_inline int on_rename(void *ctx, struct task_struct *task, const char *comm)
{
	TASK_RECORD_PROLOGUE;

	/* One may rename other threads of one's process (/proc/…/comm). */
	tid = task->pid;
	tgid = task->tgid;
	st = find_state(task, tid);
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	begin_append(c);
	r = begin_task(ctx, c, b, REC_RENAME, tid, tgid, st->seq, cpu);
	if (r) {
		bpf_probe_read_kernel(r->data, 16, comm);
		r->data[15] = 0;
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

#define SIGKILL 9
#define TRACE_SIGNAL_IGNORED 1

static __always_inline void signal_info(struct rec_task *r, u32 sig, void *info)
{
	r->value = sig;
	/* 0 and 1 stand for "nothing to tell" and "from the kernel". */
	if ((u64)info > 1 && !bpf_probe_read_kernel(r->data, sizeof(r->data), info))
		r->info_len = sizeof(r->data);
}

/* SIGKILL is not told: nobody can see it arrive, and the exit tells the same. */
static __always_inline int on_signal(void *ctx, u32 sig, void *info)
{
	TASK_RECORD_PROLOGUE;

	if (sig == SIGKILL)
		return 0;
	st = find_state(current_task(), tid);
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	begin_append(c);
	r = begin_task(ctx, c, b, REC_SIGNAL, tid, tgid, st->seq, cpu);
	if (r) {
		signal_info(r, sig, info);
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

/* A signal that its target ignores never arrives; it is told when it is sent.
 * That may be in an interrupt, in the middle of an append: then the record goes
 * to the ring by itself. */
static __always_inline int on_ignored(void *ctx, u32 sig, void *info, struct task_struct *task, u32 result)
{
	struct rec_task own = {};
	TASK_RECORD_PROLOGUE;

	if (result != TRACE_SIGNAL_IGNORED)
		return 0;
	tid = task->pid;
	tgid = task->tgid;
	st = find_state(task, tid);
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	if (*(volatile u32 *)&c->busy) {
		own.len = sizeof(own);
		own.kind = REC_SIGNAL;
		own.flags = R_IGNORED;
		own.time = bpf_ktime_get_ns();
		own.tgid = tgid;
		own.tid = tid;
		own.cpu = cpu;
		signal_info(&own, sig, info);
		if (bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, &own, sizeof(own))) {
			c->refused++;
			c->tasks_lost++;
		}
		return 0;
	}
	begin_append(c);
	r = begin_task(ctx, c, b, REC_SIGNAL, tid, tgid, 0, cpu);
	if (r) {
		r->flags = R_IGNORED;
		signal_info(r, sig, info);
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

#endif
