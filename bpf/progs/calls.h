/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Entry and exit of calls: one record a call, written at its exit. */
#ifndef PERFTRACE_CALLS_H
#define PERFTRACE_CALLS_H

/* Fill in a record's header; returns its size with comm and ip. */
static __always_inline u32 fill(struct rec *r, struct task_state *st, u32 kind, u64 time, u64 pid_tgid, u32 cpu,
				struct pt_regs *regs)
{
	u32 len = sizeof(*r);

	r->kind = kind;
	r->abi = st->abi;
	r->flags = 0;
	r->time = time;
	r->enter = 0;
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
	if (want_comm) {
		bpf_get_current_comm((u8 *)r + sizeof(*r), 16);
		r->flags |= R_COMM;
		len += 16;
	}
	if (want_ip) {
		*(u64 *)((u8 *)r + len) = user_ip(regs);
		r->flags |= R_IP;
		len += 8;
	}
	if (want_system && kind == REC_CALL) {
		u64 took = st->enter ? time - st->enter : 0;

		*(u64 *)((u8 *)r + len) = took > st->off ? took - st->off : 0;
		r->flags |= R_SYSTEM;
		len += 8;
	}
	return len;
}

/* Run the captures of a call whose record begins at pos. Returns the length of
 * the record with its pieces; R_CUT may come into *flags. */
static __always_inline u32 capture(struct task_state *st, struct plan *plan, u32 phase, u32 pos, u32 len, s64 ret,
				   struct pt_regs *regs, u16 *flags)
{
	struct scratch *s = get_scratch();
	u32 i = plan->cmd_arg;

	if (!s)
		return len;
	s->is_cmd = 0;
	s->slot = st->slot;
	s->args[0] = st->args[0];
	s->args[1] = st->args[1];
	s->args[2] = st->args[2];
	s->args[3] = st->args[3];
	s->args[4] = st->args[4];
	s->args[5] = st->args[5];
	if (plan->flags & PLAN_COMMANDS && i < 6) {
		struct command key = { st->slot, (u32)s->args[i] & plan->cmd_mask };
		struct plan *sub = bpf_map_lookup_elem(&commands, &key);

		if (sub) {
			plan = sub;
			s->is_cmd = 1;
			s->cmd = key.cmd;
		}
	}
	if (phase == AT_ENTRY) {
		if (!(plan->flags & PLAN_ENTRY))
			return len;
	} else if (!(plan->flags & PLAN_EXIT) && !(plan->flags & PLAN_RETRY && st->faulted)) {
		return len;
	}
	s->phase = phase;
	s->ret = ret;
	s->sp = user_sp(regs);
	s->pos = pos + len;
	s->limit = pos + (batch_hard - batch_soft);
	s->pieces = 0;
	s->counts[0] = 0;
	s->counts[1] = 0;
	s->cut = 0;
	s->word = st->abi == ABI_NATIVE ? 8 : 4;
	s->faulted = phase == AT_ENTRY ? 0 : st->faulted;
	run_plan(plan->nops);
	if (phase == AT_ENTRY)
		st->faulted = s->faulted;
	if (s->cut)
		*flags |= R_CUT;
	return s->pos - pos;
}

/* A record of the entry: what exit will not have, or calls that have no exit. */
static __always_inline void tell_entry(void *ctx, struct task_state *st, struct plan *plan, u64 time,
				       struct pt_regs *regs, u32 kind)
{
	u32 cpu = bpf_get_smp_processor_id(), pos, len, head;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct batch *b = bpf_map_lookup_elem(&batches, &cpu);
	struct rec *r;
	u16 flags = 0;

	if (!c || !b)
		return;
	begin_append(c);
	if (!time)
		time = bpf_ktime_get_ns();
	if (kind == REC_NO_RETURN) {
		c->matched++;
		if (filter_results && (only_ok || only_failed || only_errnos || min_duration)) {
			c->filtered++;
			goto out;
		}
		st->seq++;
	}
	if (!room(ctx, c, b, batch_soft)) {
		if (kind == REC_NO_RETURN) {
			c->lost[LOST_RING_FULL]++;
		} else {
			c->parts_lost++;
			st->flags |= T_PART_LOST;
		}
		goto out;
	}
	pos = c->pending;
	r = rec_at(b, pos);
	head = fill(r, st, kind, time, bpf_get_current_pid_tgid(), cpu, regs);
	len = head;
	if (plan->flags & PLAN_ENTRY)
		len = capture(st, plan, AT_ENTRY, pos, len, 0, regs, &flags);
	if (kind == REC_ENTRY) {
		if (want_enter)
			flags |= R_SHOWN;
		else if (len == head)
			goto out;
		st->flags |= T_PART;
	} else {
		c->emitted++;
		c->calls++;
	}
	r->flags |= flags;
	r->len = len;
	append(ctx, c, b, len, time);
out:
	end_append(c);
}

static __always_inline void entered(void *ctx, struct task_struct *task, struct pt_regs *regs, struct plan *plan, u32 slot,
				    u32 abi, u32 nr)
{
	struct task_state *st;
	u64 time = 0;
	u32 flags;

	st = traced(task);
	if (!st)
		return;
	flags = st->flags;
	if (flags & T_WAIT_EXEC && !(plan->flags & PLAN_EXEC))
		return;
	st->flags = (flags & ~(T_WAIT_EXEC | T_NEWBORN | T_ATTACHED | T_PART | T_PART_LOST)) | T_IN_CALL;
	st->slot = slot;
	st->nr = nr;
	st->abi = abi;
	st->faulted = 0;
	if (want_system) {
		st->off = 0;
		st->off_at = 0;
	}
	call_args(st->args, regs, abi);
	if (want_times)
		time = bpf_ktime_get_ns();
	st->enter = time;
	if (plan->flags & PLAN_NO_RETURN) {
		st->flags &= ~T_IN_CALL;
		tell_entry(ctx, st, plan, time, regs, REC_NO_RETURN);
	} else if (want_enter || plan->flags & PLAN_ENTRY) {
		tell_entry(ctx, st, plan, time, regs, REC_ENTRY);
	}
}

static __always_inline int on_enter(void *ctx, struct pt_regs *regs, s32 id)
{
	struct task_struct *task = current_task();
	u32 abi = call_abi(task, regs, id), nr = call_nr(abi, id), slot = slot_of(abi, nr);
	struct plan *plan = bpf_map_lookup_elem(&plans, &slot);

	if (!plan || !(plan->flags & PLAN_ENABLED))
		return 0;
	hold();
	entered(ctx, task, regs, plan, slot, abi, nr);
	let_go();
	return 0;
}

/* A signal that ends a process, other than by a core dump, never arrives: the
 * kernel kills all its threads at once (complete_signal). What was sent is kept
 * until the task that it was sent to finds out (on_signal). */
struct sent {
	u32 sig;
	u8 info[48];
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, struct sent);
} fatal SEC(".maps");

#define SIGKILL 9
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22

/* A call that was interrupted because its task is being killed (by SIGKILL, or
 * with its process by another thread) never returns. A task that got another
 * deadly signal may be told that first. */
static __noinline int doomed(u32 tid)
{
	struct task_struct *task = current_task();
	struct signal_struct *shared = NULL;
	unsigned long pending = 0;
	u32 code = 0;

	READ(pending, task, pending.signal.sig[0]);
	if (!(pending & (1UL << (SIGKILL - 1))))
		return 0;
	READ(shared, task, signal);
	if (shared)
		READ(code, shared, group_exit_code);
	code &= 0x7f;
	return !code || code == SIGKILL || !bpf_map_lookup_elem(&fatal, &tid);
}

/* -ERESTARTSYS, -ERESTARTNOINTR, -ERESTARTNOHAND, -ERESTART_RESTARTBLOCK */
static __always_inline int is_restart(s64 ret)
{
	return ret <= -512 && ret >= -516;
}

static __always_inline void exited(void *ctx, struct task_struct *task, struct pt_regs *regs, struct plan *plan, u32 slot,
				   u32 abi, u32 nr, s32 id, s64 ret)
{
	u32 flags, cpu, pos, len;
	struct task_state *st;
	u16 rflags = 0;
	struct batch *b;
	struct cpu *c;
	struct rec *r;
	u64 time;

	st = traced(task);
	if (!st)
		return;
	flags = st->flags;
	if (flags & T_WAIT_EXEC)
		return;
	st->flags = flags & ~(T_IN_CALL | T_NEWBORN | T_ATTACHED | T_PART | T_PART_LOST);
	if (flags & T_IN_CALL && (st->slot == slot || id < 0 || plan->flags & PLAN_EXEC)) {
		if (st->slot != slot) {
			slot = st->slot;
			plan = bpf_map_lookup_elem(&plans, &slot);
			if (!plan)
				return;
		}
		if (st->enter)
			rflags |= R_ENTER;
		if (flags & T_PART)
			rflags |= R_PART;
		if (flags & T_PART_LOST)
			rflags |= R_PART_LOST;
	} else {
		if (id < 0)
			return;
		/* The child's return from the fork that made it. */
		if (flags & T_NEWBORN && plan->flags & PLAN_FORK)
			return;
		if (have_entry_hook && flags & T_ATTACHED)
			rflags |= R_RESUMED;
		st->slot = slot;
		st->nr = nr;
		st->abi = abi;
		st->faulted = 0;
		st->enter = 0;
		call_args(st->args, regs, abi);
	}
	cpu = bpf_get_smp_processor_id();
	c = bpf_map_lookup_elem(&cpus, &cpu);
	b = bpf_map_lookup_elem(&batches, &cpu);
	if (!c || !b)
		return;
	begin_append(c);
	time = bpf_ktime_get_ns();
	c->matched++;
	if (filter_results && !result_kept(ret, st->enter ? time - st->enter : 0)) {
		c->filtered++;
		goto out;
	}
	st->seq++;
	if (!room(ctx, c, b, batch_soft)) {
		c->lost[LOST_RING_FULL]++;
		goto out;
	}
	pos = c->pending;
	r = rec_at(b, pos);
	len = fill(r, st, is_restart(ret) && doomed(bpf_get_current_pid_tgid()) ? REC_NO_RETURN : REC_CALL, time,
		   bpf_get_current_pid_tgid(), cpu, regs);
	r->ret = ret;
	r->enter = st->enter;
	if (plan->flags & PLAN_EXEC && !ret)
		; /* what the arguments pointed to is gone */
	else if (plan->flags & PLAN_EXIT || (plan->flags & PLAN_RETRY && st->faulted))
		len = capture(st, plan, AT_EXIT | IF_FAULT, pos, len, ret, regs, &rflags);
	r->flags |= rflags;
	r->len = len;
	c->emitted++;
	c->calls++;
	append(ctx, c, b, len, time);
out:
	end_append(c);
}

static __always_inline int on_exit(void *ctx, struct pt_regs *regs, s64 ret)
{
	struct task_struct *task = current_task();
	s32 id = exit_id(regs);
	u32 abi = call_abi(task, regs, id), nr = call_nr(abi, id), slot = slot_of(abi, nr);
	struct plan *plan = bpf_map_lookup_elem(&plans, &slot);

	/* A call may have rewritten its number: sigreturn sets -1. */
	if (!plan || (!(plan->flags & PLAN_ENABLED) && !(have_entry_hook && id < 0)))
		return 0;
	hold();
	exited(ctx, task, regs, plan, slot, abi, nr, id, ret);
	let_go();
	return 0;
}

#endif
