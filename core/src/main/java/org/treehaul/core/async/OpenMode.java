// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.treehaul.core.fs.LinuxConstants;

/**
 * How a file is opened. Symbolic links are followed.
 *
 * @param access what the file is opened for
 * @param creates whether a file that does not exist is created
 * @param isExclusive whether the file must not exist yet; only with {@code creates}
 * @param truncates whether the data of an existing file are removed; not for {@link Access#READ}
 * @param permissions the mode of a new file, of which the umask removes bits
 * @param isDirect whether data bypass the page cache where the file system supports that (O_DIRECT)
 */
public record OpenMode(Access access, boolean creates, boolean isExclusive, boolean truncates, int permissions,
        boolean isDirect) {

    /** The operations that an open file permits. */
    public enum Access {
        READ(LinuxConstants.O_RDONLY),
        WRITE(LinuxConstants.O_WRONLY),
        READ_AND_WRITE(LinuxConstants.O_RDWR);

        private final int flag;

        Access(int flag) {
            this.flag = flag;
        }
    }

    /** Checks the values. */
    public OpenMode {
        if (isExclusive && !creates || truncates && access == Access.READ || (permissions & ~07777) != 0) {
            throw new IllegalArgumentException("exclusive without creation, truncation of a file for reading, or "
                    + "permissions " + Integer.toOctalString(permissions));
        }
    }

    /** Opens an existing file for reading. */
    public static OpenMode read() {
        return new OpenMode(Access.READ, false, false, false, 0, false);
    }

    /** Opens a file for writing; creates it with mode 0666, or removes its data. */
    public static OpenMode write() {
        return new OpenMode(Access.WRITE, true, false, true, 0666, false);
    }

    /** Opens a file for reading and writing; creates it with mode 0666, or keeps its data. */
    public static OpenMode update() {
        return new OpenMode(Access.READ_AND_WRITE, true, false, false, 0666, false);
    }

    /** Returns the same, for a file that must not exist yet. */
    public OpenMode exclusive() {
        return new OpenMode(access, creates, true, truncates, permissions, isDirect);
    }

    /** Returns the same, with this mode for a new file. */
    public OpenMode withPermissions(int mode) {
        return new OpenMode(access, creates, isExclusive, truncates, mode, isDirect);
    }

    /**
     * Returns the same, past the page cache. Ranges that do not begin at a multiple of the alignment, and odd ends of
     * others, still use the page cache. A file system without direct I/O, or one that does not report its alignment
     * (STATX_DIOALIGN, Linux 6.1), uses it for all.
     */
    public OpenMode direct() {
        return new OpenMode(access, creates, isExclusive, truncates, permissions, true);
    }

    int flags() {
        return access.flag | (creates ? LinuxConstants.O_CREAT : 0) | (isExclusive ? LinuxConstants.O_EXCL : 0)
                | (truncates ? LinuxConstants.O_TRUNC : 0);
    }

    /** Returns the flags to open the same file once more. */
    int directFlags() {
        return access.flag | LinuxConstants.O_DIRECT;
    }
}
