// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import org.treehaul.core.annotation.Api;

/** Error numbers of Linux (errno(3)), from asm-generic/errno-base.h and errno.h; equal on x86-64 and aarch64. */
@Api
public final class Errno {

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOTTY = 25;
    public static final int ETXTBSY = 26;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int ESPIPE = 29;
    public static final int EROFS = 30;
    public static final int EMLINK = 31;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOVERFLOW = 75;
    public static final int EOPNOTSUPP = 95;
    public static final int ENOTCONN = 107;
    public static final int ETIMEDOUT = 110;
    public static final int ESTALE = 116;
    public static final int EDQUOT = 122;
    public static final int ECANCELED = 125;

    private Errno() {}

    /**
     * Returns whether an error may be transient: the same call may succeed when it is repeated. Servers return such
     * errors while they fail over.
     */
    public static boolean mayPass(int errno) {
        return switch (errno) {
            case ESTALE, EAGAIN, EINTR -> true;
            default -> false;
        };
    }

    /**
     * Returns whether an error means that a file system, or a pair of them, lacks a feature, rather than that the call
     * failed.
     */
    public static boolean isUnsupported(int errno) {
        return switch (errno) {
            case EOPNOTSUPP, EXDEV, EINVAL, ENOTTY, ENOSYS -> true;
            default -> false;
        };
    }

    /**
     * Returns the text and symbol of an error number, such as {@code No such file or directory (ENOENT)}, or {@code
     * Unknown error 999}.
     */
    public static String describe(int errno) {
        String symbol = ErrnoTable.symbol(errno);
        return symbol == null ? "Unknown error " + errno : ErrnoTable.text(errno) + " (" + symbol + ")";
    }

    /** Returns the symbol of an error number, such as {@code ENOENT}, or {@code errno 999} if it has none. */
    public static String symbol(int errno) {
        String symbol = ErrnoTable.symbol(errno);
        return symbol == null ? "errno " + errno : symbol;
    }

    /**
     * Returns the error number of a symbol such as {@code ENOENT}.
     *
     * @throws IllegalArgumentException if Linux has no such symbol
     */
    public static int parse(String symbol) {
        int errno = ErrnoTable.parse(symbol);
        if (errno == 0) {
            throw new IllegalArgumentException("unknown Linux error symbol " + symbol);
        }
        return errno;
    }
}
