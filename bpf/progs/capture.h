/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The interpreter of capture plans: what event/capture.go says, in the kernel.
 *
 * It is cut into global functions that take numbers only, so the verifier looks
 * at each of them once and on its own (inlined it would walk more than a
 * million instructions). What they share is in the scratch area of the CPU. */
#ifndef PERFTRACE_CAPTURE_H
#define PERFTRACE_CAPTURE_H

#define MAX_PIECES 128
#define MAX_STEPS 192 /* pointers looked at for one op */
#define OBJECT_MAX 32776 /* holds the longest program of a seccomp filter, and one instruction more */
#define VECTOR_STEP 32
#define VECTOR_MAX 2048 /* pointers */
#define PAGE 4096     /* memory ends at multiples of it on every kernel */
#define PIECE_HEADER 16

enum { PIECE_OK, PIECE_CUT, PIECE_FAULT, PIECE_FD };

struct piece {
	u64 addr;
	u16 len;
	u8 status;
	u8 op;
	u32 want;
};

/* A place in the tree of files. */
struct spot {
	u64 mnt;    /* struct vfsmount * */
	u64 dentry; /* struct dentry * */
};

#define MAX_NAMES 64 /* components of a path */

struct scratch {
	u64 args[6];
	u64 sp; /* the stack pointer at entry */
	s64 ret;
	u64 left; /* LIMIT_RET: bytes of the result that no piece accounts for yet */
	u32 slot;
	u32 cmd;
	u32 is_cmd;
	u32 phase; /* AT_ENTRY or AT_EXIT | IF_FAULT */
	u32 pos;   /* in the batch: where the next piece goes */
	u32 limit;
	u32 pieces;
	u32 cut;
	u32 word;    /* bytes of a pointer */
	u32 faulted; /* ops that failed at entry (set there, used at exit) */
	/* of the op that runs */
	struct op op;
	u32 next_piece; /* of the parent */
	u32 last_piece;
	u32 next_off;
	u32 elem_end; /* where the parent piece's bytes end */
	u32 width;    /* bytes of the length field */
	u8 first[MAX_OPS];
	union {
		u8 count[MAX_OPS];
		u64 counts[2];
	};
	u16 at[MAX_PIECES]; /* where the pieces are in the batch */
	/* of the descriptor that is looked at (fd.h) */
	struct spot spot, step;
	u32 nnames;
	u64 names[MAX_NAMES]; /* struct dentry *, deepest first */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline struct scratch *get_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&scratches, &zero);
}

static __always_inline struct batch *get_batch(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&batches, &cpu);
}

static __always_inline u64 load(struct batch *b, u32 pos, u32 width)
{
	u64 v = *(u64 *)&b->bytes[pos & 0xffff];

	return width < 8 ? v & ((1ULL << (width * 8 & 63)) - 1) : v;
}

/* A size that the verifier knows to be bounded; no size is over the bound. */
static __always_inline u64 piece_size(u64 n)
{
	keep(n);
	return n < OBJECT_MAX + 2 ? n : OBJECT_MAX + 2;
}

/* Of the mapping that holds an address: is it anonymous memory no page of which
 * was ever written (anon_vma is made with the first), so that what is not in the
 * page tables is zeros? Not if user space or a driver provides the pages. */
static long untouched(struct task_struct *task, struct vm_area_struct *vma, u32 *zeros)
{
	unsigned long flags = vma->vm_flags;

	*zeros = flags & VM_READ && !(flags & (VM_UFFD_MISSING | VM_PFNMAP | VM_IO | VM_MIXEDMAP)) && !vma->vm_ops &&
		 !vma->anon_vma;
	return 0;
}

/* Does memory that could not be read for want of a page hold zeros? (A function
 * of its own would be one too many: the verifier allows a stack of 8.) */
static __always_inline bool reads_as_zeros(u64 addr)
{
	u32 zeros = 0;

	if (have_find_vma)
		bpf_find_vma(bpf_get_current_task_btf(), addr, untouched, &zeros, 0);
	return zeros;
}

/* Read len bytes at addr to pos, page by page: memory that can't be read begins
 * at a page. Returns how many bytes could be read. */
__noinline int read_pages(u64 addr, u32 pos, u32 len)
{
	struct batch *b = get_batch();
	u32 done = 0;

	if (!b)
		return 0;
	if (len > OBJECT_MAX)
		len = OBJECT_MAX;
	for (int i = 0; i < OBJECT_MAX / PAGE + 2; i++) {
		u32 n = PAGE - ((addr + done) & (PAGE - 1));

		if (done >= len)
			break;
		if (n > len - done)
			n = len - done;
		/* What can't be read is filled with zeros. */
		if (bpf_probe_read_user(&b->bytes[(pos + done) & 0xffff], piece_size(n), (void *)(addr + done)) &&
		    !reads_as_zeros(addr + done))
			break;
		done += n;
	}
	return done;
}

/* Find the NULL among up to VECTOR_STEP pointers. Returns where it ends, or -1. */
__noinline int find_null(u32 pos, u32 len, u32 word)
{
	struct batch *b = get_batch();

	if (!b)
		return -1;
	for (u32 i = 0; i < VECTOR_STEP; i++) {
		u32 off = i * word;

		if (off + word > len)
			break;
		if (!(word == 8 ? *(u64 *)&b->bytes[(pos + off) & 0xffff] : *(u32 *)&b->bytes[(pos + off) & 0xffff]))
			return off + word;
	}
	return -1;
}

/* The length of a vector of pointers up to and with its NULL, or -1. Two short
 * loops instead of a long one, for the verifier's sake. */
__noinline int vector_end(u32 pos, u32 len, u32 word)
{
	for (u32 i = 0; i < VECTOR_MAX / VECTOR_STEP; i++) {
		u32 off = i * VECTOR_STEP * word;
		int end;

		if (off >= len)
			break;
		end = find_null(pos + off, len - off, word);
		if (end >= 0)
			return off + end;
	}
	return -1;
}

/* Copy one object to a new piece. want is its whole length, max the limit.
 * Returns 1 if no more pieces fit. */
__noinline int copy_object(u64 addr, u32 want, u32 max, u32 i)
{
	struct scratch *s = get_scratch();
	struct batch *b = get_batch();
	struct piece *p;
	u32 pos, room, n, got, status = PIECE_OK;
	long err;

	if (!s || !b)
		return 1;
	pos = s->pos;
	if (s->pieces >= MAX_PIECES || pos + PIECE_HEADER + 8 > s->limit) {
		s->cut = 1;
		return 1;
	}
	room = s->limit - pos - PIECE_HEADER - 8;
	if (max > OBJECT_MAX)
		max = OBJECT_MAX;
	if (max > room) {
		max = room;
		if (s->op.kind == CAP_STRING || want > room)
			s->cut = 1;
	}
	n = want < max ? want : max;
	pos += PIECE_HEADER;
	if (s->op.kind == CAP_STRING) {
		want = max + 1;
		n = max + 2; /* with the NUL and one byte to see that it is cut */
		err = bpf_probe_read_user_str(&b->bytes[pos & 0xffff], piece_size(n), (void *)addr);
		if (err >= 0) {
			/* with the NUL, but 0 of an empty string before Linux 5.19 */
			got = err ? err - 1 : 0;
			if (got > max) {
				got = max;
				status = PIECE_CUT;
			}
		} else {
			/* No NUL before a page that is not there. */
			n = read_pages(addr, pos, max + 1);
			b->bytes[(pos + n) & 0xffff] = 0;
			err = bpf_probe_read_kernel_str(&b->bytes[pos & 0xffff], piece_size(n + 1), &b->bytes[pos & 0xffff]);
			got = err > 0 ? err - 1 : 0;
			if (got < n)
				status = PIECE_OK;
			else
				status = PIECE_FAULT;
			if (got > max) {
				got = max;
				status = PIECE_CUT;
			}
		}
	} else {
		got = n;
		status = n < want ? PIECE_CUT : PIECE_OK;
		if (bpf_probe_read_user(&b->bytes[pos & 0xffff], piece_size(n), (void *)addr)) {
			got = read_pages(addr, pos, n);
			if (got < n)
				status = PIECE_FAULT;
		}
		if (s->op.kind == CAP_VECTOR) {
			int end = vector_end(pos, got, s->word);

			if (end >= 0) {
				got = end;
				want = end;
				status = PIECE_OK;
			} else {
				got &= ~(s->word - 1); /* whole pointers */
				if (status == PIECE_OK)
					status = PIECE_CUT;
			}
		}
	}
	/* zeros up to a multiple of 8 */
	*(u64 *)&b->bytes[(pos + got) & 0xffff] = 0;
	p = (struct piece *)&b->bytes[s->pos & 0xffff];
	p->addr = addr;
	p->len = got;
	p->status = status;
	p->op = i;
	p->want = want;
	s->at[s->pieces & (MAX_PIECES - 1)] = s->pos;
	s->count[i & (MAX_OPS - 1)]++;
	s->pieces++;
	s->pos = pos + ((got + 7) & ~7U);
	if (status == PIECE_FAULT && s->phase == AT_ENTRY) {
		/* A retry needs the pointers again. */
		s->faulted |= 1U << (i & (MAX_OPS - 1));
		if (s->op.from >= FROM_OP)
			s->faulted |= 1U << (s->op.from & (MAX_OPS - 1));
	}
	return 0;
}

#include "fd.h"

/* The length of the object of op i, before Size and Max. elem is where the
 * element that holds the pointer begins in the batch (0: none). */
__noinline u64 object_length(u32 i, u32 elem)
{
	struct scratch *s = get_scratch();
	struct batch *b = get_batch();
	u32 from, at, end, pos;
	s64 n;

	if (!s || !b)
		return 0;
	switch (s->op.len) {
	case LEN_CONST:
		return 1;
	case LEN_ARG:
		from = s->op.len_from;
		if (from > 5)
			return 0;
		return s->width < 8 ? s->args[from] & ((1ULL << (s->width * 8 & 63)) - 1) : s->args[from];
	case LEN_RET:
		return s->ret > 0 ? s->ret : 0;
	case LEN_FIELD:
		pos = elem + s->op.len_off;
		if (!elem || pos + s->width > s->elem_end)
			return 0;
		return load(b, pos, s->width);
	case LEN_OP:
		from = s->op.len_from & (MAX_OPS - 1);
		if (!s->count[from])
			return 0;
		at = s->at[s->first[from] & (MAX_PIECES - 1)];
		end = at + PIECE_HEADER + (u32)load(b, at + 8, 2);
		pos = at + PIECE_HEADER + s->op.len_off;
		if (pos + s->width > end)
			return 0;
		return load(b, pos, s->width);
	case LEN_IOCTL:
		return s->args[1] >> 16 & 0x3fff;
	case LEN_FDSET:
		from = s->op.len_from;
		if (from > 5)
			return 0;
		n = (s32)s->args[from];
		if (n <= 0)
			return 0;
		return s->word == 8 ? (u64)(n + 63) / 64 * 8 : (u64)(n + 31) / 32 * 4;
	}
	return 0;
}

/* Copy the object of op i at addr. Returns 1 if the op is done. */
__noinline int copy_one(u64 addr, u32 i, u32 elem)
{
	struct scratch *s = get_scratch();
	u64 want, max;

	if (!s)
		return 1;
	if (s->op.kind == CAP_FD)
		return want_fds ? fd_piece(addr, i) : 1;
	if (!addr)
		return 0;
	if (s->word == 4)
		addr = (u32)addr;
	max = s->op.max ? s->op.max : string_max;
	if (s->op.kind == CAP_BYTES) {
		want = object_length(i, elem);
		if (want > 0xffffffffULL)
			want = 0xffffffffULL;
		want *= s->op.size ? s->op.size : 1;
		if (want > 0xffffffffULL)
			want = 0xffffffffULL;
		if (s->op.when & LIMIT_RET) {
			if (want > s->left)
				want = s->left;
			s->left -= want;
		}
		if (!want)
			return 0;
		if (s->op.len == LEN_CONST && !s->op.max)
			max = OBJECT_MAX;
		if (s->op.when & NETLINK && want > max && max < NETLINK_MAX && is_netlink(s->args[0]))
			max = NETLINK_MAX;
		else if (!s->op.max)
			max++; /* to see whether what is cut goes on */
	} else {
		want = max;
	}
	return copy_object(addr, want, max, i);
}

/* Follow the next pointer in the pieces of the parent of op i. Returns 1 if
 * there is none. */
__noinline int next_pointer(u32 i)
{
	struct scratch *s = get_scratch();
	struct batch *b = get_batch();
	u32 at, ptr, elem;
	bool in_place;
	u64 addr;
	u32 word;

	if (!s || !b || s->next_piece >= s->last_piece)
		return 1;
	at = s->at[s->next_piece & (MAX_PIECES - 1)];
	s->elem_end = at + PIECE_HEADER + (u32)load(b, at + 8, 2);
	in_place = s->op.when & IN_PLACE;
	word = s->op.kind == CAP_FD ? 4 : s->word;
	ptr = at + PIECE_HEADER + s->next_off;
	elem = ptr - s->op.off;
	/* In place, the object may lie beyond what was copied, its element not. */
	if (in_place ? s->op.stride && elem >= s->elem_end : ptr + word > s->elem_end) {
		s->next_piece++;
		s->next_off = s->op.off;
		return 0;
	}
	addr = in_place ? load(b, at, 8) + s->next_off : load(b, ptr, word);
	if (s->op.stride) {
		s->next_off += s->op.stride;
	} else {
		s->next_piece++;
		s->next_off = s->op.off;
	}
	return copy_one(addr, i, elem);
}

__noinline int run_op(u32 i)
{
	struct scratch *s = get_scratch();
	struct plan *plan;
	u32 from;

	if (!s)
		return 0;
	if (s->is_cmd) {
		struct command key = { s->slot, s->cmd };

		plan = bpf_map_lookup_elem(&commands, &key);
	} else {
		u32 slot = s->slot;

		plan = bpf_map_lookup_elem(&plans, &slot);
	}
	if (!plan)
		return 0;
	i &= MAX_OPS - 1;
	s->op = plan->ops[i];
	s->first[i] = s->pieces;
	s->count[i] = 0;
	if (!(s->op.when & s->phase))
		return 0;
	if (s->phase != AT_ENTRY) {
		if (s->op.when & IF_OK && s->ret < 0 && s->ret >= -4095)
			return 0;
		if (s->op.when & IF_FAULT && !(s->faulted >> i & 1))
			return 0;
	}
	s->left = s->ret > 0 ? s->ret : 0;
	s->elem_end = 0;
	s->width = s->op.len_width ? s->op.len_width : s->word;
	from = s->op.from;
	if (s->op.kind == CAP_FD && from == FROM_RET) {
		if (want_fds)
			fd_piece(s->ret, i);
		return 0;
	}
	if (from == FROM_SP) {
		copy_one(s->sp + s->op.off, i, 0);
		return 0;
	}
	if (from < FROM_OP) {
		if (from > 5)
			return 0;
		copy_one(s->args[from] + (s->args[from] && s->op.when & IN_PLACE ? s->op.off : 0), i, 0);
		return 0;
	}
	from &= MAX_OPS - 1;
	if (from >= i)
		return 0;
	if (s->phase == AT_ENTRY)
		s->faulted |= (s->faulted >> from & 1) << i;
	s->next_piece = s->first[from];
	s->last_piece = s->next_piece + s->count[from];
	s->next_off = s->op.off;
	for (int n = 0; n < MAX_STEPS; n++)
		if (next_pointer(i))
			return 0;
	s->cut = 1;
	return 0;
}

/* Run the plan that the scratch area describes. */
__noinline int run_plan(u32 nops)
{
	for (u32 i = 0; i < MAX_OPS; i++) {
		if (i >= nops)
			break;
		run_op(i);
	}
	return 0;
}

#endif
