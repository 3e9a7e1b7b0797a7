/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The maps, and the constants that user space sets before loading. Code behind
 * a constant that is 0 is not even verified, so one object serves all kernels. */
#ifndef PERFTRACE_MAPS_H
#define PERFTRACE_MAPS_H

/* What to trace and copy, by abi << 9 | nr. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NUM_SLOTS);
	__type(key, u32);
	__type(value, struct plan);
} plans SEC(".maps");

/* Plans of calls whose meaning hangs on a command (ioctl, bpf, prctl …). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct command);
	__type(value, struct plan);
} commands SEC(".maps");

/* State of traced tasks. Before Linux 5.11 there is no task storage: user space
 * turns task_store into a small array, and task_hash (by tid) is used. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} task_store SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct task_state);
} task_hash SEC(".maps");

/* Flags of tasks that user space could not write into task_store itself
 * (threads before Linux 6.9): the task adopts them on its first call. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u32);
} seeds SEC(".maps");

/* Processes that are never traced, with Target.All. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} excluded SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

struct batch {
	u8 bytes[BATCH_AREA];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct batch);
} batches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); /* takes no types */
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
} rings SEC(".maps");

volatile const bool use_storage = true; /* task_store, and the current task by BTF */
volatile const bool hold_cpu; /* see hold() */
volatile const bool trace_all;
volatile const bool want_times;
volatile const bool want_system;
volatile const bool want_enter;
volatile const bool want_comm;
volatile const bool want_ip;
volatile const bool want_fds;
volatile const bool have_entry_hook;
volatile const bool counting; /* calls are added up, see count.h */
volatile const u64 overhead;  /* ns to take off each time there */
volatile const bool have_find_vma; /* the helper: Linux 5.17 */
volatile const u32 string_max = 32;

volatile const u32 batch_flush; /* handed over from here on */
volatile const u32 batch_soft;  /* calls start below this … */
volatile const u32 batch_hard;  /* … and end here; task records start below this */

volatile const bool filter_results;
volatile const bool only_ok;
volatile const bool only_failed;
volatile const bool only_errnos;
volatile const u64 errnos[64];
volatile const u64 min_duration;

volatile const bool filter_cpus;
volatile const u64 cpu_set[64];
volatile const bool filter_uid;
volatile const u32 only_uid;
volatile const u64 only_cgroup;
volatile const bool cgroup_ancestors = true; /* the helper: Linux 5.11 */
/* A glob over comm as a bit-parallel automaton: bit i of glob_match[c] says
 * that place i of the pattern takes the byte c, glob_stars where the stars
 * are, glob_end which bit stands for the end of the pattern. */
volatile const bool filter_comm;
volatile const u32 glob_match[256];
volatile const u32 glob_stars;
volatile const u32 glob_end;

/* Since Linux 7.0 programs on tracepoints can be preempted. Then another task may
 * come into the middle of an append; and calls of it are missed, because the
 * kernel does not run a program twice at once on a CPU. So no program lets go of
 * the CPU once it has to do with a call. */
static __always_inline void hold(void)
{
	if (hold_cpu)
		bpf_preempt_disable();
}

static __always_inline void let_go(void)
{
	if (hold_cpu)
		bpf_preempt_enable();
}

/* Entries left in seeds. */
u32 seeds_pending;

#endif
