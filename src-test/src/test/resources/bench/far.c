// SPDX-License-Identifier: Apache-2.0
//
// A file system that shows a directory as it is and answers each request only after a delay, as a distant server does. The kernel
// caches neither names nor attributes, so each call on a path or a descriptor is a request, and any number of requests wait at once.
//
//   far DELAY_IN_MICROSECONDS DIRECTORY MOUNTPOINT
//
// It stays in the foreground until it is unmounted. Built with libfuse 3.12 or newer.

#define _GNU_SOURCE
#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static int root;
static struct timespec delay;

// The threads of libfuse are not ours to start, so each sets its slack when it first waits.
static _Thread_local int is_exact;

static void wait_for_answer(void)
{
	if (!is_exact) {
		prctl(PR_SET_TIMERSLACK, 1000);
		is_exact = 1;
	}
	clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
}

static int answer(int result)
{
	return result == -1 ? -errno : 0;
}

// Paths of libfuse begin with a slash.
static const char *below(const char *path)
{
	return path[1] == 0 ? "." : path + 1;
}

// setxattr(2) has no form with a directory, so the path goes through the descriptor of the root.
static const char *through(const char *path, char *buffer, size_t size)
{
	snprintf(buffer, size, "/proc/self/fd/%d/%s", root, below(path));
	return buffer;
}

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config)
{
	connection->max_background = 1024;
	connection->congestion_threshold = 1024;
	// A listing with the status of each entry would hide the latency of the calls that ask for it.
	connection->want &= ~(FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
	config->use_ino = 1;
	config->nullpath_ok = 0;
	config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
	return NULL;
}

static int far_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
	wait_for_answer();
	return answer(file ? fstat((int)file->fh, status) : fstatat(root, below(path), status, AT_SYMLINK_NOFOLLOW));
}

static int far_access(const char *path, int mode)
{
	wait_for_answer();
	return answer(faccessat(root, below(path), mode, 0));
}

static int far_readlink(const char *path, char *target, size_t size)
{
	wait_for_answer();
	ssize_t length = readlinkat(root, below(path), target, size - 1);
	if (length == -1)
		return -errno;
	target[length] = 0;
	return 0;
}

static int far_opendir(const char *path, struct fuse_file_info *file)
{
	wait_for_answer();
	int descriptor = openat(root, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor == -1)
		return -errno;
	DIR *stream = fdopendir(descriptor);
	if (!stream) {
		int error = errno;
		close(descriptor);
		return -error;
	}
	file->fh = (uintptr_t)stream;
	return 0;
}

static int far_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *file,
		       enum fuse_readdir_flags flags)
{
	(void)path, (void)flags;
	DIR *stream = (DIR *)(uintptr_t)file->fh;
	wait_for_answer();
	seekdir(stream, offset);
	for (;;) {
		errno = 0;
		struct dirent *entry = readdir(stream);
		if (!entry)
			return -errno;
		struct stat status = { .st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12 };
		if (fill(buffer, entry->d_name, &status, telldir(stream), 0))
			return 0;
	}
}

static int far_releasedir(const char *path, struct fuse_file_info *file)
{
	(void)path;
	closedir((DIR *)(uintptr_t)file->fh);
	return 0;
}

static int far_mkdir(const char *path, mode_t mode)
{
	wait_for_answer();
	return answer(mkdirat(root, below(path), mode));
}

static int far_mknod(const char *path, mode_t mode, dev_t device)
{
	wait_for_answer();
	return answer(mknodat(root, below(path), mode, device));
}

static int far_symlink(const char *target, const char *path)
{
	wait_for_answer();
	return answer(symlinkat(target, root, below(path)));
}

static int far_link(const char *from, const char *to)
{
	wait_for_answer();
	return answer(linkat(root, below(from), root, below(to), 0));
}

static int far_unlink(const char *path)
{
	wait_for_answer();
	return answer(unlinkat(root, below(path), 0));
}

static int far_rmdir(const char *path)
{
	wait_for_answer();
	return answer(unlinkat(root, below(path), AT_REMOVEDIR));
}

static int far_rename(const char *from, const char *to, unsigned flags)
{
	wait_for_answer();
	return answer(renameat2(root, below(from), root, below(to), flags));
}

static int far_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
	wait_for_answer();
	return answer(file ? fchmod((int)file->fh, mode) : fchmodat(root, below(path), mode, 0));
}

static int far_chown(const char *path, uid_t user, gid_t group, struct fuse_file_info *file)
{
	wait_for_answer();
	return answer(file ? fchown((int)file->fh, user, group)
			   : fchownat(root, below(path), user, group, AT_SYMLINK_NOFOLLOW));
}

static int far_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *file)
{
	wait_for_answer();
	return answer(file ? futimens((int)file->fh, times)
			   : utimensat(root, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int far_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
	wait_for_answer();
	if (file)
		return answer(ftruncate((int)file->fh, size));
	int descriptor = openat(root, below(path), O_WRONLY | O_CLOEXEC);
	if (descriptor == -1)
		return -errno;
	int result = answer(ftruncate(descriptor, size));
	close(descriptor);
	return result;
}

static int opened(int descriptor, struct fuse_file_info *file)
{
	if (descriptor == -1)
		return -errno;
	file->fh = (uint64_t)descriptor;
	return 0;
}

static int far_open(const char *path, struct fuse_file_info *file)
{
	wait_for_answer();
	return opened(openat(root, below(path), file->flags | O_CLOEXEC), file);
}

static int far_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
	wait_for_answer();
	return opened(openat(root, below(path), file->flags | O_CREAT | O_CLOEXEC, mode), file);
}

static int far_read(const char *path, char *data, size_t size, off_t offset, struct fuse_file_info *file)
{
	(void)path;
	wait_for_answer();
	ssize_t length = pread((int)file->fh, data, size, offset);
	return length == -1 ? -errno : (int)length;
}

static int far_write(const char *path, const char *data, size_t size, off_t offset, struct fuse_file_info *file)
{
	(void)path;
	wait_for_answer();
	ssize_t length = pwrite((int)file->fh, data, size, offset);
	return length == -1 ? -errno : (int)length;
}

static int far_fsync(const char *path, int data_only, struct fuse_file_info *file)
{
	(void)path;
	wait_for_answer();
	return answer(data_only ? fdatasync((int)file->fh) : fsync((int)file->fh));
}

static int far_flush(const char *path, struct fuse_file_info *file)
{
	(void)path, (void)file;
	wait_for_answer();
	return 0;
}

static int far_release(const char *path, struct fuse_file_info *file)
{
	(void)path;
	close((int)file->fh);
	return 0;
}

static int far_statfs(const char *path, struct statvfs *status)
{
	(void)path;
	wait_for_answer();
	return answer(fstatvfs(root, status));
}

static int far_setxattr(const char *path, const char *name, const char *value, size_t size, int flags)
{
	char buffer[8192];
	wait_for_answer();
	return answer(lsetxattr(through(path, buffer, sizeof buffer), name, value, size, flags));
}

static int far_getxattr(const char *path, const char *name, char *value, size_t size)
{
	char buffer[8192];
	wait_for_answer();
	ssize_t length = lgetxattr(through(path, buffer, sizeof buffer), name, value, size);
	return length == -1 ? -errno : (int)length;
}

static int far_listxattr(const char *path, char *names, size_t size)
{
	char buffer[8192];
	wait_for_answer();
	ssize_t length = llistxattr(through(path, buffer, sizeof buffer), names, size);
	return length == -1 ? -errno : (int)length;
}

static int far_removexattr(const char *path, const char *name)
{
	char buffer[8192];
	wait_for_answer();
	return answer(lremovexattr(through(path, buffer, sizeof buffer), name));
}

static const struct fuse_operations operations = {
	.init = begin,
	.getattr = far_getattr,
	.access = far_access,
	.readlink = far_readlink,
	.opendir = far_opendir,
	.readdir = far_readdir,
	.releasedir = far_releasedir,
	.mkdir = far_mkdir,
	.mknod = far_mknod,
	.symlink = far_symlink,
	.link = far_link,
	.unlink = far_unlink,
	.rmdir = far_rmdir,
	.rename = far_rename,
	.chmod = far_chmod,
	.chown = far_chown,
	.utimens = far_utimens,
	.truncate = far_truncate,
	.open = far_open,
	.create = far_create,
	.read = far_read,
	.write = far_write,
	.fsync = far_fsync,
	.flush = far_flush,
	.release = far_release,
	.statfs = far_statfs,
	.setxattr = far_setxattr,
	.getxattr = far_getxattr,
	.listxattr = far_listxattr,
	.removexattr = far_removexattr,
};

int main(int count, char **words)
{
	if (count != 4) {
		fprintf(stderr, "far DELAY_IN_MICROSECONDS DIRECTORY MOUNTPOINT\n");
		return 2;
	}
	long micros = atol(words[1]);
	delay = (struct timespec){ .tv_sec = micros / 1000000, .tv_nsec = micros % 1000000 * 1000 };
	root = open(words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root == -1) {
		perror(words[2]);
		return 1;
	}
	umask(0);
	char *options[] = { words[0], "-o", "default_permissions,allow_other,fsname=far,subtype=far" };
	struct fuse_args arguments = FUSE_ARGS_INIT(3, options);
	struct fuse *fuse = fuse_new(&arguments, &operations, sizeof operations, NULL);
	if (!fuse || fuse_mount(fuse, words[3]))
		return 1;
	fuse_set_signal_handlers(fuse_get_session(fuse));
	// libfuse starts a thread whenever all are at work. It would stop at ten.
	struct fuse_loop_config *loop = fuse_loop_cfg_create();
	fuse_loop_cfg_set_max_threads(loop, 1024);
	fuse_loop_cfg_set_idle_threads(loop, 1024);
	int result = fuse_loop_mt(fuse, loop);
	fuse_loop_cfg_destroy(loop);
	fuse_unmount(fuse);
	fuse_destroy(fuse);
	return result ? 1 : 0;
}
