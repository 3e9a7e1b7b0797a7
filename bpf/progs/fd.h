/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What a descriptor is, told at the moment of the call: a later look into /proc
 * would find it closed, reused or renamed. Included by capture.h. */
#ifndef PERFTRACE_FD_H
#define PERFTRACE_FD_H

#define NAME_ROOM 256 /* NAME_MAX and the NUL */
#define PATH_ROOM 4096
#define FD_CWD -100

#define S_IFMT 0170000
#define S_IFSOCK 0140000

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16

#define ANON_INODE_MAGIC 0x09041934
#define PIDFS_MAGIC 0x50494446
#define NSFS_MAGIC 0x6e736673

/* The file that descriptor fd is, or 0. */
static __always_inline struct file *file_of(s32 fd)
{
	struct task_struct *task = current_task();
	struct files_struct *files = NULL;
	struct fdtable *fdt = NULL;
	struct file **fds = NULL, *file = NULL;
	u32 max = 0;

	READ(files, task, files);
	if (!files)
		return NULL;
	READ(fdt, files, fdt);
	if (!fdt)
		return NULL;
	READ(max, fdt, max_fds);
	READ(fds, fdt, fd);
	if (fd < 0 || (u32)fd >= max || !fds)
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), &fds[fd]);
	return file;
}

/* The struct sock of a file that is a socket. */
static __always_inline struct sock *sock_of(struct file *file)
{
	struct inode *inode = NULL;
	struct socket *socket = NULL;
	struct sock *sk = NULL;
	u16 mode = 0;

	READ(inode, file, f_inode);
	if (!inode)
		return NULL;
	READ(mode, inode, i_mode);
	if ((mode & S_IFMT) != S_IFSOCK)
		return NULL;
	READ(socket, file, private_data);
	if (socket)
		READ(sk, socket, sk);
	return sk;
}

/* Is descriptor fd a netlink socket? */
__noinline int is_netlink(u32 fd)
{
	struct file *file = file_of(fd);
	struct sock *sk = file ? sock_of(file) : NULL;
	u16 family = 0;

	if (!sk)
		return 0;
	READ(family, sk, __sk_common.skc_family);
	return family == AF_NETLINK;
}

enum { CLIMBED, CLIMBING, NO_PLACE };

/* One step of climb, from scratch.step. */
__noinline int climb_step(void)
{
	struct scratch *s = get_scratch();
	u32 mnt_at = __builtin_preserve_field_info(((struct mount *)0)->mnt, 0);
	struct dentry *d, *up = NULL, *top = NULL;
	struct vfsmount *mnt;

	if (!s)
		return NO_PLACE;
	d = (struct dentry *)s->step.dentry;
	mnt = (struct vfsmount *)s->step.mnt;
	if (!d || !mnt)
		return CLIMBED;
	READ(top, mnt, mnt_root);
	if (d == top) {
		struct mount *m = (struct mount *)((u8 *)mnt - mnt_at), *parent = NULL;

		READ(parent, m, mnt_parent);
		if (parent == m || !parent)
			return CLIMBED;
		READ(d, m, mnt_mountpoint);
		s->step.dentry = (u64)d;
		s->step.mnt = (u64)parent + mnt_at;
		return CLIMBING;
	}
	READ(up, d, d_parent);
	if (up == d)
		return s->nnames ? CLIMBED : NO_PLACE;
	if (s->nnames >= MAX_NAMES)
		return CLIMBED;
	s->names[s->nnames & (MAX_NAMES - 1)] = (u64)d;
	s->nnames++;
	s->step.dentry = (u64)up;
	return CLIMBING;
}

/* Collect the dentries from scratch.spot up to the top of the mounts, deepest
 * first: as a tracer outside sees the path, not as the task does that may have
 * a root of its own (chroot). Returns how many, or -1 if the spot is no place in
 * the tree (pipe, socket, anonymous inode). */
__noinline int climb(void)
{
	struct scratch *s = get_scratch();

	if (!s)
		return -1;
	s->step = s->spot;
	s->nnames = 0;
	for (int i = 0; i < MAX_NAMES * 2; i++) {
		int r = climb_step();

		if (r == NO_PLACE)
			return -1;
		if (r == CLIMBED)
			break;
	}
	return s->nnames;
}

/* Write a slash and the name of a dentry to pos. Returns the length. */
__noinline int put_name(u32 pos, u64 dentry)
{
	struct batch *b = get_batch();
	const unsigned char *name = NULL;
	long err;

	if (!b || !dentry)
		return 0;
	READ(name, (struct dentry *)dentry, d_name.name);
	b->bytes[pos & 0xffff] = '/';
	err = bpf_probe_read_kernel_str(&b->bytes[(pos + 1) & 0xffff], NAME_ROOM, name);
	return err > 0 ? err : 1;
}

/* Write the path of the n dentries that climb found to pos. Returns its length. */
__noinline int put_path(u32 pos, u32 n)
{
	struct scratch *s = get_scratch();
	struct batch *b = get_batch();
	u32 len = 0;

	if (!s || !b)
		return 0;
	if (!n) { /* the root */
		b->bytes[pos & 0xffff] = '/';
		return 1;
	}
	for (u32 i = 0; i < MAX_NAMES; i++) {
		if (i >= n || len > PATH_ROOM - NAME_ROOM - 1)
			break;
		len += put_name(pos + len, s->names[(n - 1 - i) & (MAX_NAMES - 1)]);
	}
	return len;
}

/* Tell of a socket at pos; the name that a unix socket is bound to goes behind.
 * Returns the name's length. */
__noinline int put_socket(u32 pos, u64 file)
{
	struct batch *b = get_batch();
	struct fd_info *f;
	struct sock *sk, *peer = NULL;
	struct proto *prot = NULL;
	struct unix_address *addr = NULL;
	u32 len = 0;
	u16 be = 0;

	if (!b || !file)
		return 0;
	sk = sock_of((struct file *)file);
	if (!sk)
		return 0;
	f = (struct fd_info *)&b->bytes[pos & 0xffff];
	f->kind = FD_SOCKET;
	READ(f->family, sk, __sk_common.skc_family);
	READ(len, sk, __sk_common.skc_state);
	f->state = len & 0xff;
	READ(f->type, sk, sk_type);
	READ(f->protocol, sk, sk_protocol);
	READ(prot, sk, __sk_common.skc_prot);
	if (prot)
		bpf_probe_read_kernel(f->proto, sizeof(f->proto), __builtin_preserve_access_index(&prot->name));
	switch (f->family) {
	case AF_INET:
	case AF_INET6:
		READ(be, (struct inet_sock *)sk, inet_sport);
		f->sport = __builtin_bswap16(be);
		READ(be, sk, __sk_common.skc_dport);
		f->dport = __builtin_bswap16(be);
		if (f->family == AF_INET) {
			READ(*(u32 *)f->saddr, (struct inet_sock *)sk, inet_saddr);
			READ(*(u32 *)f->daddr, sk, __sk_common.skc_daddr);
		} else {
			bpf_probe_read_kernel(f->saddr, 16,
					      __builtin_preserve_access_index(&sk->__sk_common.skc_v6_rcv_saddr));
			bpf_probe_read_kernel(f->daddr, 16,
					      __builtin_preserve_access_index(&sk->__sk_common.skc_v6_daddr));
		}
		return 0;
	case AF_NETLINK:
		READ(f->portid, (struct netlink_sock *)sk, portid);
		return 0;
	case AF_UNIX:
		break;
	default:
		return 0;
	}
	READ(peer, (struct unix_sock *)sk, peer);
	if (peer) {
		struct socket *socket = NULL;
		struct file *other = NULL;
		struct inode *inode = NULL;

		READ(socket, peer, sk_socket);
		if (socket)
			READ(other, socket, file);
		if (other)
			READ(inode, other, f_inode);
		if (inode)
			READ(f->peer_ino, inode, i_ino);
	}
	READ(addr, (struct unix_sock *)sk, addr);
	if (!addr)
		return 0;
	len = 0;
	READ(len, addr, len);
	if (len <= 2)
		return 0;
	len -= 2;
	if (len > 108)
		len = 108;
	keep(len);
	len &= 127;
	bpf_probe_read_kernel(&b->bytes[(pos + sizeof(*f)) & 0xffff], len,
			      (u8 *)__builtin_preserve_access_index(&addr->name) + 2);
	return len;
}

/* Is the name of a dentry this, of eight bytes at most? */
static __always_inline bool named(struct dentry *d, const char *want, u32 n)
{
	const unsigned char *name = NULL;
	char have[12] = {};

	READ(name, d, d_name.name);
	bpf_probe_read_kernel_str(have, sizeof(have), name);
	for (u32 i = 0; i < n && i < sizeof(have); i++)
		if (have[i] != want[i])
			return false;
	return true;
}

/* What a file without a path holds: the pid of a pidfd, the mask of a signalfd,
 * the count of an eventfd. */
__noinline int put_value(u32 pos, u64 file_at, u64 dentry_at)
{
	struct batch *b = get_batch();
	struct file *file = (struct file *)file_at;
	struct dentry *d = (struct dentry *)dentry_at;
	struct fd_info *f;
	struct inode *inode = NULL;
	void *data = NULL;

	if (!b || !file || !d)
		return 0;
	f = (struct fd_info *)&b->bytes[pos & 0xffff];
	READ(data, file, private_data);
	if (f->magic == PIDFS_MAGIC) {
		READ(inode, file, f_inode);
		if (inode)
			READ(data, inode, i_private);
	} else if (f->magic != ANON_INODE_MAGIC) {
		return 0;
	}
	if (!data)
		return 0;
	if (f->magic == PIDFS_MAGIC || named(d, "[pidfd]", 8)) {
		u32 nr = 0;

		READ(nr, (struct pid *)data, numbers[0].nr);
		f->value = nr;
	} else if (named(d, "[signalfd]", 10)) {
		bpf_probe_read_kernel(&f->value, 8,
				      __builtin_preserve_access_index(&((struct signalfd_ctx *)data)->sigmask));
		f->value = ~f->value;
	} else if (named(d, "[eventfd]", 9)) {
		u32 flags = 0;

		READ(f->value, (struct eventfd_ctx *)data, count);
		READ(f->id, (struct eventfd_ctx *)data, id);
		READ(flags, (struct eventfd_ctx *)data, flags);
		f->protocol = flags & 1;
	}
	return 0;
}

/* Write the kind of a namespace ("net") to pos. Returns its length. */
__noinline int put_namespace(u32 pos, u64 inode_at)
{
	struct batch *b = get_batch();
	struct inode *inode = (struct inode *)inode_at;
	struct ns_common *ns = NULL;
	const struct proc_ns_operations *ops = NULL;
	const char *name = NULL;
	long err;

	if (!b || !inode)
		return 0;
	READ(ns, inode, i_private);
	if (ns)
		READ(ops, ns, ops);
	if (ops)
		READ(name, ops, name);
	err = bpf_probe_read_kernel_str(&b->bytes[pos & 0xffff], 32, name);
	return err > 0 ? err - 1 : 0;
}

/* The terminal of a /dev/ptmx: 1 + its number. */
__noinline int put_terminal(u32 pos, u64 file_at)
{
	struct batch *b = get_batch();
	struct fd_info *f;
	struct tty_file_private *data = NULL;
	struct tty_struct *tty = NULL;
	u32 index = 0;

	if (!b || !file_at)
		return 0;
	f = (struct fd_info *)&b->bytes[pos & 0xffff];
	if (f->rdev != (5 << 20 | 2) || (f->mode & S_IFMT) != 0020000)
		return 0;
	READ(data, (struct file *)file_at, private_data);
	if (data)
		READ(tty, data, tty);
	if (tty) {
		READ(index, tty, index);
		f->value = (u64)index + 1;
	}
	return 0;
}

/* Write the piece about descriptor fd, of op i. Returns 1 if no more fit. */
__noinline int fd_piece(u32 fd, u32 i)
{
	struct scratch *s = get_scratch();
	struct batch *b = get_batch();
	struct task_struct *task = current_task();
	struct fs_struct *fs = NULL;
	struct file *file = NULL;
	struct inode *inode = NULL;
	struct super_block *sb = NULL;
	struct fd_info *f;
	struct piece *p;
	u32 pos, len = 0;
	int n;

	if (!s || !b)
		return 1;
	if (s->pieces >= MAX_PIECES ||
	    s->pos + PIECE_HEADER + sizeof(*f) + PATH_ROOM + 16 > s->limit) {
		s->cut = 1;
		return 1;
	}
	READ(fs, task, fs);
	if (!fs)
		return 0;
	if (s->op.when & NETLINK && !is_netlink(fd))
		return 0;
	if ((s32)fd == FD_CWD) {
		bpf_probe_read_kernel(&s->spot, sizeof(s->spot), __builtin_preserve_access_index(&fs->pwd));
	} else {
		file = file_of(fd);
		if (!file)
			return 0;
		bpf_probe_read_kernel(&s->spot, sizeof(s->spot), __builtin_preserve_access_index(&file->f_path));
	}
	pos = s->pos + PIECE_HEADER;
	f = (struct fd_info *)&b->bytes[pos & 0xffff];
	__builtin_memset(f, 0, sizeof(*f));
	if (file)
		READ(inode, file, f_inode);
	if (inode) {
		READ(f->mode, inode, i_mode);
		READ(f->rdev, inode, i_rdev);
		READ(f->ino, inode, i_ino);
		READ(sb, inode, i_sb);
		if (sb)
			READ(f->magic, sb, s_magic);
	}
	if (file && (f->mode & S_IFMT) == S_IFSOCK) {
		len = put_socket(pos, (u64)file);
	} else {
		n = climb();
		if (n >= 0) {
			struct dentry *d = (struct dentry *)s->spot.dentry;
			struct hlist_bl_node hash = {};

			f->kind = FD_PATH;
			len = put_path(pos + sizeof(*f), n);
			READ(hash, d, d_hash);
			if (!hash.pprev && n)
				f->flags |= FD_DELETED;
			if (file)
				put_terminal(pos, (u64)file);
		} else {
			f->kind = FD_NAME;
			/* without the slash */
			len = put_name(pos + sizeof(*f) - 1, s->spot.dentry) - 1;
			f->proto[sizeof(f->proto) - 1] = 0;
			if (f->magic == NSFS_MAGIC)
				len = put_namespace(pos + sizeof(*f), (u64)inode);
			else if (file)
				put_value(pos, (u64)file, s->spot.dentry);
		}
	}
	len += sizeof(*f);
	*(u64 *)&b->bytes[(pos + len) & 0xffff] = 0;
	p = (struct piece *)&b->bytes[s->pos & 0xffff];
	p->addr = (s64)(s32)fd;
	p->len = len;
	p->status = PIECE_FD;
	p->op = i;
	p->want = len;
	s->at[s->pieces & (MAX_PIECES - 1)] = s->pos;
	s->count[i & (MAX_OPS - 1)]++;
	s->pieces++;
	s->pos = pos + ((len + 7) & ~7U);
	return 0;
}

#endif
