// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.annotation.Api;

/**
 * The system calls that TreeHaul makes on files, and nothing else. All access to file systems goes through this
 * interface, so that a decorator can make any call fail, fall short or take long.
 *
 * <p>
 * Each method is the system call of the same name, documented by its manual page in section 2. Results follow the
 * kernel's convention: zero or more is success, less than zero is {@code -errno} ({@link Errno}). Calls are not
 * repeated here, not even after EINTR; {@link FileAccess} does that. Unsigned numbers of C are passed as signed Java
 * numbers with the same bits.
 *
 * <p>
 * A name is a native segment that holds the bytes followed by a NUL; the segment may be longer. Buffers are native
 * segments; their size is the count that the call gets. A descriptor is a small int that stays open until
 * {@link #close}; {@link LinuxConstants#AT_FDCWD} denotes the working directory where a directory is required.
 *
 * <p>
 * Implementations are safe for any number of threads.
 */
@Api
public interface FileSystemCalls {

    /** openat(2): opens a name below a directory. Returns the descriptor. O_CLOEXEC is always added. */
    int openat(int directory, MemorySegment name, int flags, int mode);

    /** openat2(2) with RESOLVE_* flags. ENOSYS before Linux 5.6. O_CLOEXEC is always added. */
    int openat2(int directory, MemorySegment name, int flags, int mode, long resolve);

    /** close(2). The descriptor is closed whatever the result; the caller must not close it again. */
    int close(int descriptor);

    /**
     * Does the same as {@link #close} for a descriptor that nothing was written through, so that no error can matter.
     */
    default void closeQuietly(int descriptor) {
        close(descriptor);
    }

    /** getdents64(2): fills the buffer with directory entries. Returns the number of bytes filled, 0 at the end. */
    int getdents64(int descriptor, MemorySegment buffer);

    /** statx(2): fills the result, at least {@link LinuxConstants#STATX_SIZE} bytes. */
    int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result);

    /**
     * statx(2) of several names below a directory.
     *
     * @param names contains the names, each with a NUL
     * @param starts the offsets of the names
     * @param count the number of names
     * @param results the statuses one after another, {@link LinuxConstants#STATX_SIZE} bytes each
     * @param answers receives zero for each name, or another number if its call failed: a call of {@link #statx} then
     *        shows the error
     */
    default void statxEach(int directory, MemorySegment names, int[] starts, int count, int flags, int mask,
            MemorySegment results, int[] answers) {
        for (int i = 0; i < count; i++) {
            answers[i] = statx(directory, names.asSlice(starts[i]), flags, mask,
                    results.asSlice(i * (long) LinuxConstants.STATX_SIZE, LinuxConstants.STATX_SIZE));
        }
    }

    /** read(2) at the file position. Returns the number of bytes read, 0 at the end of the file. */
    long read(int descriptor, MemorySegment buffer);

    /** write(2) at the file position. Returns the number of bytes written, which may be fewer than requested. */
    long write(int descriptor, MemorySegment buffer);

    /** pread(2) at an offset in bytes. Returns the number of bytes read, 0 at the end of the file. */
    long pread(int descriptor, MemorySegment buffer, long offset);

    /** pwrite(2) at an offset in bytes. Returns the number of bytes written, which may be fewer than requested. */
    long pwrite(int descriptor, MemorySegment buffer, long offset);

    /** lseek(2), with SEEK_HOLE and SEEK_DATA. Returns the resulting offset in bytes. */
    long lseek(int descriptor, long offset, int whence);

    /**
     * copy_file_range(2). Each offset is a segment of 8 bytes that the kernel reads and advances, or
     * {@link MemorySegment#NULL} for the file position. Returns the number of bytes copied, 0 at the end of the source.
     */
    long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length);

    /** ioctl_ficlone(2), FICLONE: makes the destination share all of the source's data. */
    int ficlone(int destination, int source);

    /** fallocate(2): allocates, or with FALLOC_FL_* punches or zeroes, length bytes at the offset. */
    int fallocate(int descriptor, int mode, long offset, long length);

    /** ftruncate(2): sets the size in bytes. */
    int ftruncate(int descriptor, long size);

    /** linkat(2): makes a hard link. */
    int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags);

    /** symlinkat(2): makes a symbolic link that holds the target. */
    int symlinkat(MemorySegment target, int directory, MemorySegment name);

    /**
     * readlinkat(2): fills the buffer with the target, without a NUL. Returns its length; a target that fills the
     * buffer may be truncated.
     */
    int readlinkat(int directory, MemorySegment name, MemorySegment buffer);

    /** mkdirat(2). */
    int mkdirat(int directory, MemorySegment name, int mode);

    /**
     * mknodat(2): makes a FIFO, socket or device; the mode contains the type, the device is encoded as by makedev(3).
     */
    int mknodat(int directory, MemorySegment name, int mode, long device);

    /** renameat2(2), with RENAME_NOREPLACE or RENAME_EXCHANGE, or 0 for a plain rename. */
    int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags);

    /** unlinkat(2), with AT_REMOVEDIR for a directory. */
    int unlinkat(int directory, MemorySegment name, int flags);

    /** fchmod(2). */
    int fchmod(int descriptor, int mode);

    /** fchmodat(2): changes the mode of the file with this name; follows a symbolic link. */
    int fchmodat(int directory, MemorySegment name, int mode);

    /** fchownat(2), with AT_SYMLINK_NOFOLLOW or AT_EMPTY_PATH. -1 leaves an id unchanged. */
    int fchownat(int directory, MemorySegment name, int uid, int gid, int flags);

    /** utimensat(2): times are two {@code struct timespec} (atime, mtime), 32 bytes. */
    int utimensat(int directory, MemorySegment name, MemorySegment times, int flags);

    /** futimens(3): utimensat(2) on a descriptor. */
    int futimens(int descriptor, MemorySegment times);

    /** fgetxattr(2). Returns the size of the value; an empty buffer requests only the size. */
    long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value);

    /** lgetxattr(2): fgetxattr by path, without following a symbolic link at its end. */
    long lgetxattr(MemorySegment path, MemorySegment attribute, MemorySegment value);

    /** fsetxattr(2), with XATTR_CREATE, XATTR_REPLACE or 0. */
    int fsetxattr(int descriptor, MemorySegment attribute, MemorySegment value, int flags);

    /** setxattr(2): by path, through a symbolic link at its end. */
    int setxattr(MemorySegment path, MemorySegment attribute, MemorySegment value, int flags);

    /** flistxattr(2): fills the list with NUL-ended names. Returns its size; an empty list requests only the size. */
    long flistxattr(int descriptor, MemorySegment list);

    /** llistxattr(2). */
    long llistxattr(MemorySegment path, MemorySegment list);

    /** listxattrat(2) with AT_SYMLINK_NOFOLLOW; -ENOSYS before Linux 6.13. */
    long listxattrat(int directory, MemorySegment name, MemorySegment list);

    /** fremovexattr(2). */
    int fremovexattr(int descriptor, MemorySegment attribute);

    /** removexattr(2): by path, through a symbolic link at its end. */
    int removexattr(MemorySegment path, MemorySegment attribute);

    /** fsync(2). */
    int fsync(int descriptor);

    /** fdatasync(2). */
    int fdatasync(int descriptor);

    /** syncfs(2): writes back the whole file system of the descriptor. */
    int syncfs(int descriptor);

    /** posix_fadvise(2), with POSIX_FADV_*. */
    int posixFadvise(int descriptor, long offset, long length, int advice);

    /** fstatfs(2): fills the result, at least {@link LinuxConstants#STATFS_SIZE} bytes. */
    int fstatfs(int descriptor, MemorySegment result);

    /**
     * fcntl(2) with F_OFD_SETLK: takes or releases an open file description lock on the whole file, without waiting.
     *
     * @param type {@link LinuxConstants#F_RDLCK}, {@link LinuxConstants#F_WRLCK} or {@link LinuxConstants#F_UNLCK}
     * @return 0, or -EAGAIN (or -EACCES) when another description holds the lock
     */
    int ofdLock(int descriptor, int type);
}
