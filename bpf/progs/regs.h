/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Registers of a task in a system call: its table, number, arguments. */
#ifndef PERFTRACE_REGS_H
#define PERFTRACE_REGS_H

#define X32_BIT 0x40000000
#define TS_COMPAT 2           /* x86 thread_info.status: also set for int $0x80 */
#define PSTATE_AARCH32 0x10   /* arm64 */

static __always_inline struct task_struct *current_task(void)
{
	if (use_storage)
		return bpf_get_current_task_btf();
	return (struct task_struct *)bpf_get_current_task();
}

/* The table that the current call is made through. id has the x32 bit. */
static __always_inline u32 call_abi(struct task_struct *task, struct pt_regs *regs, s32 id)
{
#if defined(__TARGET_ARCH_x86)
	u32 status = 0;

	if (use_storage)
		status = task->thread_info.status;
	else
		READ(status, task, thread_info.status);
	if (status & TS_COMPAT)
		return ABI_COMPAT;
	return id > 0 && id & X32_BIT ? ABI_X32 : ABI_NATIVE;
#else
	return regs->pstate & PSTATE_AARCH32 ? ABI_COMPAT : ABI_NATIVE;
#endif
}

static __always_inline u32 call_nr(u32 abi, s32 id)
{
#if defined(__TARGET_ARCH_x86)
	if (abi == ABI_X32)
		return id & ~X32_BIT;
#endif
	return id;
}

static __always_inline u32 slot_of(u32 abi, u32 nr)
{
	return abi << 9 | (nr < MAX_NR ? nr : MAX_NR - 1);
}

/* The number at exit; negative: the call rewrote it (sigreturn). */
static __always_inline s32 exit_id(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (s32)regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

/* The arguments, at entry and (most calls leave them alone) at exit. */
static __always_inline void call_args(u64 *args, struct pt_regs *regs, u32 abi)
{
#if defined(__TARGET_ARCH_x86)
	if (abi == ABI_COMPAT) {
		args[0] = (u32)regs->bx;
		args[1] = (u32)regs->cx;
		args[2] = (u32)regs->dx;
		args[3] = (u32)regs->si;
		args[4] = (u32)regs->di;
		args[5] = (u32)regs->bp;
		return;
	}
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
#else
	args[0] = regs->orig_x0;
	args[1] = regs->regs[1];
	args[2] = regs->regs[2];
	args[3] = regs->regs[3];
	args[4] = regs->regs[4];
	args[5] = regs->regs[5];
	if (abi == ABI_COMPAT) {
		args[0] = (u32)args[0];
		args[1] = (u32)args[1];
		args[2] = (u32)args[2];
		args[3] = (u32)args[3];
		args[4] = (u32)args[4];
		args[5] = (u32)args[5];
	}
#endif
}

static __always_inline u64 user_sp(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->sp;
#else
	return regs->pstate & PSTATE_AARCH32 ? regs->regs[13] : regs->sp;
#endif
}

static __always_inline u64 user_ip(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ip;
#else
	return regs->pc;
#endif
}

#endif
