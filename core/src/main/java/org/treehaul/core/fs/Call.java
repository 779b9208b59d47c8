// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import org.treehaul.core.annotation.Api;

/** The methods of {@link FileSystemCalls}, for faults and counters. */
@Api
public enum Call {
    OPENAT,
    OPENAT2,
    CLOSE,
    GETDENTS64,
    STATX,
    READ,
    WRITE,
    PREAD,
    PWRITE,
    LSEEK,
    COPY_FILE_RANGE,
    FICLONE,
    FALLOCATE,
    FTRUNCATE,
    LINKAT,
    SYMLINKAT,
    READLINKAT,
    MKDIRAT,
    MKNODAT,
    RENAMEAT2,
    UNLINKAT,
    FCHMOD,
    FCHMODAT,
    FCHOWNAT,
    UTIMENSAT,
    FUTIMENS,
    FGETXATTR,
    LGETXATTR,
    FSETXATTR,
    SETXATTR,
    FLISTXATTR,
    /** llistxattr(2), and listxattrat(2) in its place where the kernel has it. */
    LLISTXATTR,
    FREMOVEXATTR,
    REMOVEXATTR,
    FSYNC,
    FDATASYNC,
    SYNCFS,
    POSIX_FADVISE,
    FSTATFS,
    OFD_LOCK
}
