// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import org.treehaul.core.annotation.Api;

/**
 * Constants of the Linux system call interface, from the kernel's uapi headers. If x86-64 and aarch64 differ, the value
 * is that of the machine on which the JVM runs.
 */
@Api
public final class LinuxConstants {

    private static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");

    // fcntl.h (asm-generic), and asm/fcntl.h of arm64 for the three that differ there.
    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_TRUNC = 01000;
    public static final int O_NONBLOCK = 04000;
    public static final int O_DIRECT = IS_AARCH64 ? 0200000 : 040000;
    public static final int O_DIRECTORY = IS_AARCH64 ? 040000 : 0200000;
    public static final int O_NOFOLLOW = IS_AARCH64 ? 0100000 : 0400000;
    public static final int O_NOATIME = 01000000;
    public static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;
    public static final int O_TMPFILE = 020000000 | O_DIRECTORY;

    public static final int AT_FDCWD = -100;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    public static final int AT_SYMLINK_FOLLOW = 0x400;
    public static final int AT_NO_AUTOMOUNT = 0x800;
    public static final int AT_EMPTY_PATH = 0x1000;
    public static final int AT_STATX_DONT_SYNC = 0x4000;
    public static final int AT_STATX_FORCE_SYNC = 0x2000;

    // openat2.h
    public static final long RESOLVE_NO_XDEV = 0x01;
    public static final long RESOLVE_NO_MAGICLINKS = 0x02;
    public static final long RESOLVE_NO_SYMLINKS = 0x04;
    public static final long RESOLVE_BENEATH = 0x08;

    // stat.h
    public static final int STATX_INO = 0x100;
    public static final int STATX_BASIC_STATS = 0x7ff;
    public static final int STATX_BTIME = 0x800;
    public static final int STATX_SIZE = 256;
    public static final long STATX_ATTR_MOUNT_ROOT = 0x2000;
    public static final int STATFS_SIZE = 120;

    // fs.h, fcntl.h, falloc.h, fadvise.h, xattr.h, stat.h
    public static final int SEEK_SET = 0;
    public static final int SEEK_CUR = 1;
    public static final int SEEK_END = 2;
    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;
    public static final int RENAME_NOREPLACE = 1;
    public static final int RENAME_EXCHANGE = 2;
    public static final int FALLOC_FL_KEEP_SIZE = 1;
    public static final int FALLOC_FL_PUNCH_HOLE = 2;
    public static final int POSIX_FADV_NORMAL = 0;
    public static final int POSIX_FADV_SEQUENTIAL = 2;
    public static final int POSIX_FADV_WILLNEED = 3;
    public static final int POSIX_FADV_DONTNEED = 4;
    public static final int XATTR_CREATE = 1;
    public static final int XATTR_REPLACE = 2;
    public static final int F_RDLCK = 0;
    public static final int F_WRLCK = 1;
    public static final int F_UNLCK = 2;
    public static final long UTIME_NOW = 0x3fffffff;
    public static final long UTIME_OMIT = 0x3ffffffe;
    public static final int S_ISUID = 04000;
    public static final int S_ISGID = 02000;
    public static final int S_ISVTX = 01000;

    private LinuxConstants() {}
}
