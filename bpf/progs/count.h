/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Calls that are added up here instead of told one by one: a table of counts
 * and times a CPU, which user space reads at the end. Nothing goes to the rings
 * but what happens to tasks.
 *
 * Calls that never return are in no table; those that are seen count as filtered. */
#ifndef PERFTRACE_COUNT_H
#define PERFTRACE_COUNT_H

#define ENOSYS 38

/* The number that rt_sigreturn overwrites with -1, see returned_nr. */
#if defined(__TARGET_ARCH_x86)
#define NATIVE_SIGRETURN 15
#else
#define NATIVE_SIGRETURN 139
#endif
#define COMPAT_SIGRETURN 173 /* i386 and arm */

/* By cpu * NUM_SLOTS + slot. (An array by CPU would cost a helper call.) */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct count);
} counts SEC(".maps");

/* Numbers that share the last slot. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct other_call);
	__type(value, struct count);
} other_counts SEC(".maps");

static __always_inline struct count *count_of(u32 slot, u32 abi, u32 nr)
{
	u32 cpu = bpf_get_smp_processor_id(), i = cpu * NUM_SLOTS + slot;
	struct other_call key = { cpu, abi, nr };
	struct count *n, zero = {};

	if ((slot & (MAX_NR - 1)) < MAX_NR - 1)
		return bpf_map_lookup_elem(&counts, &i);
	n = bpf_map_lookup_elem(&other_counts, &key);
	if (n)
		return n;
	bpf_map_update_elem(&other_counts, &key, &zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&other_counts, &key);
}

static __always_inline void add_time(struct span *s, u64 calls, u64 took)
{
	took = took > overhead ? took - overhead : 0;
	if (!calls || took < s->min)
		s->min = took;
	if (took > s->max)
		s->max = took;
	s->total += took;
}

static __always_inline void count_filtered(void)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (c)
		c->filtered++;
}

static __always_inline int on_count_enter(struct pt_regs *regs, s32 id)
{
	struct task_struct *task = current_task();
	u32 abi = call_abi(task, regs, id), nr = call_nr(abi, id), slot = slot_of(abi, nr), flags;
	struct plan *plan = bpf_map_lookup_elem(&plans, &slot);
	struct task_state *st;

	if (!plan || !(plan->flags & PLAN_ENABLED))
		return 0;
	hold();
	st = traced(task);
	if (!st)
		goto out;
	flags = st->flags;
	if (flags & T_WAIT_EXEC && !(plan->flags & PLAN_EXEC))
		goto out;
	if (plan->flags & PLAN_NO_RETURN) {
		st->flags = flags & ~(T_IN_CALL | T_NEWBORN | T_ATTACHED);
		count_filtered();
		goto out;
	}
	st->flags = (flags & ~(T_NEWBORN | T_ATTACHED)) | T_IN_CALL;
	st->slot = slot;
	st->nr = nr;
	st->abi = abi;
	st->off = 0;
	st->off_at = 0;
	st->enter = bpf_ktime_get_ns();
out:
	let_go();
	return 0;
}

static __always_inline void count_return(struct task_struct *task, struct plan *plan, u32 slot, u32 abi, u32 nr, s32 id,
					 s64 ret)
{
	struct task_state *st = traced(task);
	u64 wall = 0, off = 0;
	struct count *n;
	u32 flags;

	if (!st)
		return;
	flags = st->flags;
	/* If the command's own execve fails, what follows is not the command's:
	 * T_WAIT_EXEC stays. */
	if (flags & T_WAIT_EXEC && !(plan->flags & PLAN_EXEC))
		return;
	if (flags & (T_IN_CALL | T_NEWBORN | T_ATTACHED))
		st->flags = flags & ~(T_IN_CALL | T_NEWBORN | T_ATTACHED);
	if (have_entry_hook && flags & T_IN_CALL && (st->slot == slot || id < 0 || plan->flags & PLAN_EXEC)) {
		slot = st->slot;
		abi = st->abi;
		nr = st->nr;
		wall = bpf_ktime_get_ns() - st->enter;
		off = st->off;
	} else {
		if (have_entry_hook && id < 0)
			return;
		/* The child's return from the fork that made it. */
		if (flags & T_NEWBORN && plan->flags & PLAN_FORK)
			return;
	}
	if (filter_results && !result_kept(ret, wall)) {
		count_filtered();
		return;
	}
	n = count_of(slot, abi, nr);
	if (!n) {
		no_slot();
		return;
	}
	if (want_system)
		add_time(&n->system, n->calls, wall > off ? wall - off : 0);
	if (want_times)
		add_time(&n->wall, n->calls, wall);
	if (ret < 0 && ret >= -4095)
		n->errors++;
	n->calls++;
}

/* A return from a signal handler overwrites the number of its call with -1. Where
 * no entry was seen, that is what -1 means, unless the program called -1 itself,
 * which the kernel answers with ENOSYS. */
static __always_inline s32 returned_nr(struct task_struct *task, struct pt_regs *regs, s64 ret)
{
	s32 id = exit_id(regs);

	if (have_entry_hook || id != -1 || ret == -ENOSYS)
		return id;
	return call_abi(task, regs, id) == ABI_COMPAT ? COMPAT_SIGRETURN : NATIVE_SIGRETURN;
}

static __always_inline int on_count_exit(struct pt_regs *regs, s64 ret)
{
	struct task_struct *task = current_task();
	s32 id = returned_nr(task, regs, ret);
	u32 abi = call_abi(task, regs, id), nr = call_nr(abi, id), slot = slot_of(abi, nr);
	struct plan *plan = bpf_map_lookup_elem(&plans, &slot);

	if (!plan || (!(plan->flags & PLAN_ENABLED) && !(have_entry_hook && id < 0)))
		return 0;
	hold();
	count_return(task, plan, slot, abi, nr, id, ret);
	let_go();
	return 0;
}

/* How long a task is off the CPU in a call: the rest of the call is system time.
 * (The scheduler's own sums are brought up to date only now and then, and by a
 * clock that leaves out what the host took, differently on each CPU.) */
static __always_inline void on_switch(struct task_struct *prev, struct task_struct *next)
{
	struct task_state *st;
	u64 off_at;

	if (use_storage && FIELD_EXISTS(prev, bpf_storage) && !prev->bpf_storage && !next->bpf_storage)
		return;
	st = find_state(prev, prev->pid);
	if (st && st->flags & T_IN_CALL)
		st->off_at = bpf_ktime_get_ns();
	st = find_state(next, next->pid);
	if (!st)
		return;
	off_at = st->off_at;
	if (off_at) {
		st->off += bpf_ktime_get_ns() - off_at;
		st->off_at = 0;
	}
}

#endif
