/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Records are appended to the batch of their CPU, which goes to the CPU's ring
 * as one perf record.
 *
 * Nothing preempts these programs, so only two things can meet an append on its
 * CPU: the flush that user space sends by IPI, and a signal sent by an
 * interrupt handler. Both look at cpu.busy first.
 *
 * While the ring has no room the batch keeps what it has; calls are dropped and
 * counted one by one, when it is over batch_soft. The rest of it is kept for
 * the few records about tasks, without which the tree of processes would tear. */
#ifndef PERFTRACE_BATCH_H
#define PERFTRACE_BATCH_H

static __always_inline void begin_append(struct cpu *c)
{
	*(volatile u32 *)&c->busy = 1;
	barrier();
}

static __always_inline void end_append(struct cpu *c)
{
	barrier();
	*(volatile u32 *)&c->busy = 0;
}

/* Give the batch to the ring of this CPU. */
static __always_inline void hand_over(void *ctx, struct cpu *c, struct batch *b)
{
	u64 n = c->pending & 0xffff;
	long err;

	err = bpf_perf_event_output(ctx, &rings, BPF_F_CURRENT_CPU, b, n);
	if (!err) {
		c->batches++;
		c->try_at = batch_flush;
	} else if (err == -ENOENT) {
		/* The CPU came online after the start. */
		c->lost[LOST_NO_RING] += c->calls;
		c->emitted -= c->calls;
	} else {
		c->refused++;
		c->try_at = n + batch_flush;
		return;
	}
	c->pending = 0;
	c->calls = 0;
}

/* Is there room for a record that starts below limit? */
static __always_inline bool room(void *ctx, struct cpu *c, struct batch *b, u32 limit)
{
	if (c->pending <= limit)
		return true;
	hand_over(ctx, c, b);
	return c->pending <= limit;
}

static __always_inline void append(void *ctx, struct cpu *c, struct batch *b, u32 len, u64 time)
{
	if (!c->pending)
		c->first = time;
	barrier();
	*(volatile u32 *)&c->pending += len;
	if (c->pending >= c->try_at)
		hand_over(ctx, c, b);
}

static __always_inline struct rec *rec_at(struct batch *b, u32 pos)
{
	return (struct rec *)&b->bytes[pos & 0xffff];
}

#endif
