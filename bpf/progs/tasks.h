/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
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

/* Tell what the kernel has of the path (at path, 0: another one) and the
 * arguments of an execve. Returns the length of the record. */
__noinline int put_image(u32 pos, u64 path)
{
	struct batch *b = get_batch();
	struct task_struct *task = current_task();
	struct mm_struct *mm = NULL;
	struct rec_task *r;
	unsigned long from = 0, to = 0;
	u32 at = pos + sizeof(*r), n;

	if (!b)
		return sizeof(*r);
	r = (struct rec_task *)&b->bytes[pos & 0xffff];
	b->bytes[at & 0xffff] = 0;
	if (path)
		bpf_probe_read_kernel_str(&b->bytes[at & 0xffff], IMAGE_PART, (void *)path);
	READ(mm, task, mm);
	if (mm) {
		READ(from, mm, arg_start);
		READ(to, mm, arg_end);
	}
	at += IMAGE_PART;
	n = to > from && to - from < IMAGE_PART ? to - from : IMAGE_PART - 1;
	keep(n);
	n &= IMAGE_PART - 1;
	if (bpf_probe_read_user(&b->bytes[at & 0xffff], n, (void *)from))
		n = 0;
	r->info_len = IMAGE_PART;
	r->child_tgid = n;
	return sizeof(*r) + 2 * IMAGE_PART;
}

static __always_inline int on_exec(void *ctx, struct task_struct *task, u32 old_tid, struct linux_binprm *bprm)
{
	u64 path = 0, fdpath = 0;
	u32 len;
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
		len = sizeof(*r);
		if (st->faulted && c->pending <= batch_soft && batch_hard - batch_soft > 3 * IMAGE_PART) {
			READ(path, bprm, filename);
			READ(fdpath, bprm, fdpath);
			len = put_image(c->pending, fdpath ? 0 : path);
		}
		r->len = len;
		append(ctx, c, b, len, r->time);
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
	if (filter_results || counting) {
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

#define TRACE_SIGNAL_DELIVERED 0
#define TRACE_SIGNAL_IGNORED 1
#define SI_KERNEL 0x80

/* Copy a siginfo. Instead of one the kernel gives 0 for a process that sent it
 * and 1 for the kernel itself. */
static __always_inline void copy_info(u8 *to, u32 sig, void *info)
{
	u32 *w = (u32 *)to;

	if ((u64)info > 1) {
		bpf_probe_read_kernel(to, 48, info);
		return;
	}
	__builtin_memset(to, 0, 48);
	w[0] = sig;
	if (info) {
		w[2] = SI_KERNEL;
	} else {
		w[4] = bpf_get_current_pid_tgid() >> 32;
		w[5] = bpf_get_current_uid_gid();
	}
}

static __always_inline void signal_info(struct rec_task *r, u32 sig, void *info)
{
	r->value = sig;
	copy_info(r->data, sig, info);
	r->info_len = sizeof(r->data);
}

static __always_inline u64 group_of(struct task_struct *task, enum pid_type type)
{
	struct signal_struct *shared = NULL;
	u64 id = 0;

	READ(shared, task, signal);
	if (shared)
		READ(id, shared, pids[type]);
	return id;
}

#define MAX_ANCESTORS 16

/* Whether the current task's process group has a member whose parent is outside
 * of it and in the same session: in an orphaned group only SIGSTOP stops (POSIX).
 * The kernel asks all members; here only the line of ancestors is asked. */
static __always_inline int is_job(void)
{
	struct task_struct *task = current_task(), *parent = NULL;
	u64 group = group_of(task, PIDTYPE_PGID), session = group_of(task, PIDTYPE_SID);

	for (int i = 0; i < MAX_ANCESTORS; i++) {
		READ(parent, task, real_parent);
		if (!parent || group_of(parent, PIDTYPE_SID) != session)
			return 0;
		if (group_of(parent, PIDTYPE_PGID) != group)
			return 1;
		task = parent;
	}
	return 0;
}

/* Whether the delivered signal stops the process; see get_signal(). */
static __always_inline int stops(u32 sig, struct k_sigaction *action)
{
	void *handler = NULL;

	READ(handler, action, sa.sa_handler);
	if (handler) /* not SIG_DFL */
		return 0;
	return sig == SIGSTOP || ((sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) && is_job());
}

/* SIGKILL is not told: nobody can see it arrive, and the exit tells the same. But
 * it may stand for the signal that ended the process. */
static __always_inline int on_signal(void *ctx, u32 sig, void *info, struct k_sigaction *action)
{
	struct sent *sent = NULL;
	TASK_RECORD_PROLOGUE;

	st = find_state(current_task(), tid);
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	if (sig == SIGKILL) {
		struct task_struct *task = current_task();
		struct signal_struct *shared = NULL;
		u32 code = 0;

		sent = bpf_map_lookup_elem(&fatal, &tid);
		if (!sent)
			return 0;
		READ(shared, task, signal);
		if (shared)
			READ(code, shared, group_exit_code);
		if (code != sent->sig)
			return 0;
	}
	begin_append(c);
	r = begin_task(ctx, c, b, REC_SIGNAL, tid, tgid, st->seq, cpu);
	if (r && sent) {
		r->value = sent->sig;
		__builtin_memcpy(r->data, sent->info, sizeof(r->data));
		r->info_len = sizeof(r->data);
		append(ctx, c, b, sizeof(*r), r->time);
		bpf_map_delete_elem(&fatal, &tid);
	} else if (r) {
		signal_info(r, sig, info);
		if (stops(sig, action))
			r->flags |= R_STOPS;
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
	u16 flags = R_IGNORED;
	TASK_RECORD_PROLOGUE;

	if (result != TRACE_SIGNAL_IGNORED && result != TRACE_SIGNAL_DELIVERED)
		return 0;
	tid = task->pid;
	tgid = task->tgid;
	st = find_state(task, tid);
	if (!st || !(st->flags & T_TRACED) || st->flags & T_WAIT_EXEC)
		return 0;
	if (result == TRACE_SIGNAL_DELIVERED) {
		struct sent sent = { .sig = sig };

		copy_info(sent.info, sig, info);
		bpf_map_update_elem(&fatal, &tid, &sent, BPF_ANY);
		return 0;
	}
	if (st->flags & T_IN_CALL)
		flags |= R_IN_CALL;
	if (*(volatile u32 *)&c->busy) {
		own.len = sizeof(own);
		own.kind = REC_SIGNAL;
		own.flags = flags;
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
		r->flags = flags;
		signal_info(r, sig, info);
		append(ctx, c, b, sizeof(*r), r->time);
	}
	end_append(c);
	return 0;
}

#endif
