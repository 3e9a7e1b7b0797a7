/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Which tasks and which results. What decides for most calls stands first. */
#ifndef PERFTRACE_FILTER_H
#define PERFTRACE_FILTER_H

#define CGROUP_LEVELS 8

static __always_inline struct task_state *find_state(struct task_struct *task, u32 tid)
{
	if (use_storage)
		return bpf_task_storage_get(&task_store, task, NULL, 0);
	return bpf_map_lookup_elem(&task_hash, &tid);
}

/* Make the state of a task that has none. */
static __always_inline struct task_state *make_state(struct task_struct *task, u32 tid, struct task_state *init)
{
	if (use_storage)
		return bpf_task_storage_get(&task_store, task, init, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bpf_map_update_elem(&task_hash, &tid, init, BPF_NOEXIST);
	return bpf_map_lookup_elem(&task_hash, &tid);
}

static __always_inline void no_slot(void)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (c) {
		c->matched++;
		c->lost[LOST_NO_SLOT]++;
	}
}

/* Make the state of the current task, which has none, if it is to be traced. A
 * function of its own, so that its variables are not on the stack of the rest. */
__noinline int adopt_current(void)
{
	struct task_struct *task = current_task();
	struct task_state init = {};
	u64 pid_tgid = bpf_get_current_pid_tgid();
	u32 tid = pid_tgid, tgid = pid_tgid >> 32;
	u32 *seed;

	if (trace_all) {
		init.flags = T_TRACED | T_THREADS | T_PROCESSES | T_ATTACHED;
		if (bpf_map_lookup_elem(&excluded, &tgid))
			init.flags = T_EXCLUDED;
	} else {
		seed = bpf_map_lookup_elem(&seeds, &tid);
		if (!seed)
			return 0;
		init.flags = *seed;
		bpf_map_delete_elem(&seeds, &tid);
		__sync_fetch_and_add(&seeds_pending, -1);
	}
	if (!make_state(task, tid, &init) && init.flags & T_TRACED)
		no_slot();
	return 1;
}

/* The state of the current task, if it is to be traced or was before. */
static __always_inline struct task_state *own_state(struct task_struct *task, u32 tid)
{
	struct task_state *st = find_state(task, tid);

	if (!st && (trace_all || seeds_pending) && adopt_current())
		st = find_state(task, tid);
	return st;
}

static __always_inline bool in_cgroup(void)
{
	if (bpf_get_current_cgroup_id() == only_cgroup)
		return true;
	if (!cgroup_ancestors)
		return false;
	for (int level = 0; level < CGROUP_LEVELS; level++)
		if (bpf_get_current_ancestor_cgroup_id(level) == only_cgroup)
			return true;
	return false;
}

static __always_inline bool comm_matches(void)
{
	char comm[16] = {};
	u32 at = 1;

	bpf_get_current_comm(comm, sizeof(comm));
	at |= (at & glob_stars) << 1;
	for (int i = 0; i < 16; i++) {
		u32 c = (u8)comm[i];

		if (!c)
			break;
		at = (at & glob_match[c & 255]) << 1 | (at & glob_stars);
		at |= (at & glob_stars) << 1;
	}
	return at & glob_end;
}

/* A set of 4096 bits, from bit i on. */
static __always_inline u64 bits_at(const volatile u64 *set, u32 i)
{
	u64 word = i >> 6;

	keep(word); /* the bound must be on the register that indexes */
	return set[word & 63] >> (i & 63);
}

static __always_inline bool conditions_hold(void)
{
	if (filter_cpus) {
		u32 cpu = bpf_get_smp_processor_id();

		if (cpu >= 4096 || !(bits_at(cpu_set, cpu) & 1))
			return false;
	}
	if (filter_uid && (u32)bpf_get_current_uid_gid() != only_uid)
		return false;
	if (only_cgroup && !in_cgroup())
		return false;
	if (filter_comm && !comm_matches())
		return false;
	return true;
}

/* The state of the current task if it is traced now, or NULL. */
static __always_inline struct task_state *traced(struct task_struct *task)
{
	struct task_state *st;

	/* Most tasks of the machine are not ours and have no storage at all. */
	if (use_storage && !trace_all && FIELD_EXISTS(task, bpf_storage) && !task->bpf_storage && !seeds_pending)
		return NULL;
	st = own_state(task, use_storage ? 0 : (u32)bpf_get_current_pid_tgid());
	if (!st || !(st->flags & T_TRACED))
		return NULL;
	if ((filter_cpus || filter_uid || only_cgroup || filter_comm) && !conditions_hold())
		return NULL;
	return st;
}

static __always_inline bool result_kept(s64 ret, u64 duration)
{
	bool failed = ret < 0 && ret >= -4095;
	u32 e = -ret;

	if (only_ok && failed)
		return false;
	if (only_failed && !failed)
		return false;
	if (duration < min_duration)
		return false;
	if (!only_errnos)
		return true;
	return failed && bits_at(errnos, e) & 1;
}

#endif
