// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

/** The type of an entry, according to the file type bits of {@code st_mode} (inode(7)). */
public enum EntryKind {
    /** A regular file. */
    REGULAR(0x8000, "regular"),
    /** A directory. */
    DIRECTORY(0x4000, "directory"),
    /** A symbolic link. */
    SYMLINK(0xA000, "symlink"),
    /** A FIFO, or named pipe. */
    FIFO(0x1000, "fifo"),
    /** A UNIX domain socket. */
    SOCKET(0xC000, "socket"),
    /** A block device. */
    BLOCK(0x6000, "block"),
    /** A character device. */
    CHARACTER(0x2000, "character");

    /** The bits of {@code st_mode} that hold the file type: S_IFMT of inode(7). */
    public static final int TYPE_MASK = 0xF000;

    private static final EntryKind[] BY_TYPE = new EntryKind[16];

    static {
        for (EntryKind kind : values()) {
            BY_TYPE[kind.typeBits >>> 12] = kind;
        }
    }

    private final int typeBits;
    private final String label;

    EntryKind(int typeBits, String label) {
        this.typeBits = typeBits;
        this.label = label;
    }

    /** Returns the S_IF* bits of this kind, as in {@code st_mode} and mknod(2). */
    public int typeBits() {
        return typeBits;
    }

    /** Returns the lower-case word for this kind in output and templates. */
    public String label() {
        return label;
    }

    /** Returns whether entries of this kind have data that a copy must read: only regular files. */
    public boolean hasData() {
        return this == REGULAR;
    }

    /** Returns whether the type bits of a mode denote a kind known to Linux. */
    public static boolean isKnown(int mode) {
        return BY_TYPE[(mode & TYPE_MASK) >>> 12] != null;
    }

    /**
     * Returns the kind denoted by the file type bits of a mode.
     *
     * @param mode {@code st_mode}; the permission bits are ignored
     * @throws IllegalArgumentException if the type bits denote no kind known to Linux
     */
    public static EntryKind ofMode(int mode) {
        EntryKind kind = BY_TYPE[(mode & TYPE_MASK) >>> 12];
        if (kind == null) {
            throw new IllegalArgumentException("no file type in mode 0" + Integer.toOctalString(mode));
        }
        return kind;
    }
}
