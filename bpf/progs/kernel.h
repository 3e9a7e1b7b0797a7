/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The little of the kernel that the programs look at. Each struct is a flavour
 * for CO-RE: only names count, offsets come from the running kernel's BTF. */
#ifndef PERFTRACE_KERNEL_H
#define PERFTRACE_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef int s32;
typedef long long s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#define SEC(name) __attribute__((section(name), used))
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
#define barrier() asm volatile("" ::: "memory")
/* keeps the compiler from undoing a bound that the verifier needs to see */
#define keep(var) asm volatile("" : "+r"(var))

#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name

/* enum bpf_map_type, and flags of maps and helpers, as in linux/bpf.h */
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERF_EVENT_ARRAY 4
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_LRU_HASH 9
#define BPF_MAP_TYPE_TASK_STORAGE 29
#define BPF_F_NO_PREALLOC 1
#define BPF_F_MMAPABLE 1024
#define BPF_F_CURRENT_CPU 0xffffffffULL
#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_LOCAL_STORAGE_GET_F_CREATE 1
#define ENOENT 2

struct task_struct;
struct seq_file;

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*bpf_get_current_uid_gid)(void) = (void *)15;
static long (*bpf_get_current_comm)(void *buf, u32 size) = (void *)16;
static long (*bpf_perf_event_output)(void *ctx, void *map, u64 flags, void *data, u64 size) = (void *)25;
static u64 (*bpf_get_current_task)(void) = (void *)35;
static u64 (*bpf_get_current_cgroup_id)(void) = (void *)80;
static long (*bpf_probe_read_user)(void *dst, u32 size, const void *src) = (void *)112;
static long (*bpf_probe_read_kernel)(void *dst, u32 size, const void *src) = (void *)113;
static long (*bpf_probe_read_user_str)(void *dst, u32 size, const void *src) = (void *)114;
static long (*bpf_probe_read_kernel_str)(void *dst, u32 size, const void *src) = (void *)115;
static u64 (*bpf_get_current_ancestor_cgroup_id)(int level) = (void *)123;
static long (*bpf_seq_write)(struct seq_file *m, const void *data, u32 len) = (void *)127;
static void *(*bpf_task_storage_get)(void *map, struct task_struct *task, void *value, u64 flags) = (void *)156;
static struct task_struct *(*bpf_get_current_task_btf)(void) = (void *)158;
static long (*bpf_find_vma)(struct task_struct *task, u64 addr, void *callback, void *ctx, u64 flags) = (void *)180;

#define __ksym __attribute__((section(".ksyms")))
#define __weak __attribute__((weak))

extern void bpf_preempt_disable(void) __ksym __weak; /* Linux 6.10 */
extern void bpf_preempt_enable(void) __ksym __weak;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct thread_info {
#if defined(__TARGET_ARCH_x86)
	u32 status;
#else
	unsigned long flags;
#endif
};

/* include/linux/pid_types.h */
enum pid_type { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID, PIDTYPE_MAX };

struct pid;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	struct pid *pids[PIDTYPE_MAX];
};

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct sigpending {
	sigset_t signal;
};

struct sigaction {
	void *sa_handler;
};

struct k_sigaction {
	struct sigaction sa;
};

/* enum of include/linux/mm.h */
#define VM_READ 1
#define VM_UFFD_MISSING 0x200
#define VM_PFNMAP 0x400
#define VM_IO 0x4000
#define VM_MIXEDMAP 0x10000000

struct vm_area_struct {
	unsigned long vm_flags;
	void *anon_vma;
	const void *vm_ops;
};

struct mm_struct {
	unsigned long arg_start, arg_end;
};

struct linux_binprm {
	const char *filename;
	const char *fdpath;
};

struct in6_addr {
	u8 bytes[16];
};

struct proto {
	char name[32];
};

struct sock_common {
	u32 skc_daddr;
	u16 skc_dport;
	u16 skc_family;
	u8 skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	struct proto *skc_prot;
};

struct socket;

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	u16 sk_type;
	u16 sk_protocol;
};

struct inet_sock {
	u32 inet_saddr;
	u16 inet_sport;
};

struct netlink_sock {
	u32 portid;
};

struct sockaddr_un {
	u16 sun_family;
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	u16 i_mode;
	u32 i_rdev;
	unsigned long i_ino;
	struct super_block *i_sb;
	void *i_private;
};

struct hlist_bl_node {
	void *next;
	void *pprev;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct hlist_bl_node d_hash;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path pwd;
};

struct file {
	void *private_data;
	struct inode *f_inode;
	struct path f_path;
};

struct socket {
	struct sock *sk;
	struct file *file;
};

struct eventfd_ctx {
	u64 count;
	u32 flags;
	int id;
};

struct signalfd_ctx {
	sigset_t sigmask;
};

struct upid {
	int nr;
};

struct pid {
	struct upid numbers[1];
};

struct proc_ns_operations {
	const char *name;
};

struct ns_common {
	const struct proc_ns_operations *ops;
};

struct tty_struct {
	int index;
};

struct tty_file_private {
	struct tty_struct *tty;
};

struct fdtable {
	u32 max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	int exit_code;
	struct signal_struct *signal;
	struct sigpending pending;
	struct task_struct *real_parent;
	struct mm_struct *mm;
	struct files_struct *files;
	struct fs_struct *fs;
	void *bpf_storage;
	char comm[16];
};

struct kernel_siginfo;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r10, r9, r8;
	unsigned long bp, bx, cx, dx, si, di;
	unsigned long ax, orig_ax, ip, sp;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	u64 regs[31];
	u64 sp, pc, pstate;
};
struct pt_regs {
	u64 regs[31];
	u64 sp, pc, pstate;
	u64 orig_x0;
	s32 syscallno;
};
#endif

#pragma clang attribute pop

/* Does the running kernel have the field? */
#define FIELD_EXISTS(ptr, field) __builtin_preserve_field_info((ptr)->field, 2)

/* Copy a field of a kernel struct that can't be looked at directly. ptr is a
 * variable: what else it looked into would be relocated too. */
#define READ(dst, ptr, field) \
	bpf_probe_read_kernel(&(dst), sizeof(dst), (const void *)__builtin_preserve_access_index(&(ptr)->field))

#endif
