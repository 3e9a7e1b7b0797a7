/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the programs and user space share. This is the master copy: the Go side
 * is generated from it (bpf2go -type) or checked against it by a test.
 *
 * All times are CLOCK_MONOTONIC, ns. */
#ifndef PERFTRACE_ABI_H
#define PERFTRACE_ABI_H

/* Tables of calls, as event.ABI. */
enum { ABI_NATIVE, ABI_COMPAT, ABI_X32, NUM_ABI };

/* Numbers from here on share the last slot (event.MaxNR, event.Unknown). */
#define MAX_NR 512
#define NUM_SLOTS (NUM_ABI * MAX_NR)

/* ---- capture plan: event.Capture and event.CallPlan ---- */

enum { CAP_NONE, CAP_BYTES, CAP_STRING, CAP_VECTOR, CAP_FD };

enum {
	AT_ENTRY = 1,
	AT_EXIT = 2,
	IF_OK = 4,
	LIMIT_RET = 8,
	IF_FAULT = 16,
	NETLINK = 32,
	IN_PLACE = 64,
};

enum { LEN_CONST, LEN_ARG, LEN_RET, LEN_FIELD, LEN_OP, LEN_IOCTL, LEN_FDSET };

#define FROM_RET 6 /* CAP_FD: the result is the descriptor */
#define FROM_SP 7  /* the object is at the stack pointer, plus off (at entry) */
#define FROM_OP 0x10
#define MAX_OPS 16
#define NETLINK_MAX 8192

struct op {
	u8 kind;
	u8 when;
	u8 from;
	u8 len;
	u16 off;
	u16 stride;
	u8 len_from;
	u8 len_width;
	u16 len_off;
	u16 size;
	u16 max;
};

enum plan_flags {
	PLAN_ENABLED = 1,
	PLAN_ENTRY = 2,    /* some op runs at entry */
	PLAN_EXIT = 4,     /* some op runs at exit */
	PLAN_COMMANDS = 8, /* look argument cmd_arg up in the map commands */
	PLAN_NO_RETURN = 16, /* exit, exit_group: told at entry */
	PLAN_FORK = 32,    /* a child task's first return is of this call */
	PLAN_EXEC = 64,
	PLAN_RETRY = 128, /* some op runs at exit if it failed at entry */
};

struct plan {
	u8 flags;
	u8 nops;
	u8 cmd_arg;
	u8 spare;
	u32 cmd_mask;
	struct op ops[MAX_OPS];
};

struct command {
	u32 slot;
	u32 cmd;
};

/* ---- descriptors (PIECE_FD, event/fdinfo.go) ---- */

enum { FD_PATH = 1, FD_NAME, FD_SOCKET };
enum { FD_DELETED = 1 };

struct fd_info {
	u8 kind;
	u8 flags;
	u16 mode;
	u32 rdev;
	u64 ino;
	u32 magic;
	u32 portid;
	u64 value;
	u16 family, type, protocol, state;
	u16 sport, dport;
	u32 id;
	u8 saddr[16], daddr[16];
	u64 peer_ino;
	u8 proto[16];
};

/* ---- records ---- */

enum rec_kind {
	REC_CALL,      /* a call that returned */
	REC_ENTRY,     /* entry of a call: the pieces of event.Event.In */
	REC_NO_RETURN, /* a call that never returns */
	REC_SIGNAL,
	REC_EXIT,
	REC_EXEC,
	REC_FORK,
	REC_RENAME,
};

enum rec_flags {
	R_ENTER = 1,   /* enter is valid */
	R_RESUMED = 2, /* the call was in progress when tracing began */
	R_PART = 4,    /* of REC_CALL: a REC_ENTRY of this call was written */
	R_CUT = 8,     /* the budget of pieces or bytes was used up */
	R_GROUP = 16,  /* REC_EXIT: the last thread of its process */
	R_IGNORED = 32, /* REC_SIGNAL: not delivered */
	R_COMM = 64,   /* 16 bytes of comm follow the header */
	R_IP = 128,    /* 8 bytes of user instruction pointer follow (after comm) */
	R_SHOWN = 256, /* REC_ENTRY: an event of its own is wanted */
	R_PART_LOST = 512, /* of REC_CALL: there was no room for its REC_ENTRY */
	R_SYSTEM = 1024, /* 8 bytes of system time, ns, follow (after ip) */
	R_IN_CALL = 2048, /* R_IGNORED: while the task was in a call that will be told */
	R_STOPS = 4096,   /* REC_SIGNAL: it stops the process */
};

/* A record is a header, what its flags say, and pieces (event/piece.go). */
struct rec {
	u32 len; /* with this header, a multiple of 8 */
	u8 kind;
	u8 abi;
	u16 flags;
	u64 time;
	u64 enter;
	u32 tgid;
	u32 tid;
	u64 seq; /* calls of this task so far, with this one if it is a call */
	u32 nr;
	u32 cpu;
	s64 ret;
	u64 args[6];
};

/* The other kinds use the header up to seq and then the words from nr on. */
struct rec_task {
	u32 len;
	u8 kind;
	u8 abi;
	u16 flags;
	u64 time;
	u64 enter;
	u32 tgid;
	u32 tid;
	u64 seq;
	u32 value; /* signal | wait status | old tid | child tid */
	u32 cpu;
	u32 child_tgid;
	u32 info_len; /* REC_SIGNAL: bytes of siginfo; REC_EXEC: see struct image */
	u8 data[48];  /* siginfo | comm */
};

/* REC_EXEC of a call whose strings could not all be read at entry: info_len is
 * IMAGE_PART and behind the record stand IMAGE_PART bytes of the path that was
 * executed, ended by a NUL (empty: not the one that the call gave), and then
 * child_tgid bytes, IMAGE_PART at most, of the new image's argument strings. */
enum image_limits { IMAGE_PART = 4096 };

/* ---- per CPU ---- */

/* A batch holds the records that were not handed to the ring yet. Its limits
 * (batch_flush and so on in maps.h) hang on the size of the ring. */
enum batch_limits {
	BATCH_MAX = 61440, /* the most that batch_hard may be */
	BATCH_AREA = 65536 + 36864, /* so that masked offsets stay inside */
};

/* As event.Cause. */
enum { LOST_RING_FULL, LOST_NO_RING, LOST_NO_SLOT, LOST_MISSED, LOST_TOO_BIG, NUM_LOST };

/* User space maps these, so it sees what is pending without a system call. */
struct cpu {
	u32 pending; /* bytes in the batch */
	u32 busy;    /* an append is going on */
	u32 try_at;  /* hand over when pending reaches this */
	u32 calls;   /* calls in the batch */
	u64 first;   /* time of the batch's first record */
	u64 matched; /* calls in the set, of traced tasks, that ended */
	u64 filtered;
	u64 emitted;
	u64 lost[NUM_LOST];
	u64 refused;  /* hand-overs that failed: what PERF_FORMAT_LOST counts too */
	u64 parts_lost; /* REC_ENTRY records without room (their calls are told) */
	u64 tasks_lost; /* task and signal records without room */
	u64 batches;
	u64 spare[17];
};

/* ---- per task ---- */

enum task_flags {
	T_TRACED = 1,
	T_THREADS = 2,   /* new threads are traced */
	T_PROCESSES = 4, /* new processes are traced */
	T_WAIT_EXEC = 8, /* nothing counts before the next execve */
	T_NEWBORN = 16,  /* has not returned from the fork that made it */
	T_ATTACHED = 32, /* existed at the start and was not seen since */
	T_EXCLUDED = 64,
	T_IN_CALL = 128,
	T_PART = 256,    /* this call has a REC_ENTRY */
	T_PART_LOST = 512,
};

struct task_state {
	u32 flags;
	u32 slot;
	u32 nr;
	u8 abi;
	u8 spare;
	u16 faulted; /* ops that failed at entry */
	u64 seq;
	u64 enter;
	u64 off;    /* want_system: ns of this call that the task was off the CPU … */
	u64 off_at; /* … and since when it is, or 0 */
	u64 args[6];
};

/* ---- calls that are added up (count.h): event.Count ---- */

struct span {
	u64 total, min, max; /* ns */
};

struct count {
	u64 calls;
	u64 errors;
	struct span system;
	struct span wall;
};

/* Key of a call whose number has no slot of its own. */
struct other_call {
	u32 cpu;
	u32 abi;
	u32 nr;
};

/* What the iterator writes for each task in a call, or that ever had one. */
struct dump {
	u32 tid;
	u32 tgid;
	struct task_state state;
};

#endif
