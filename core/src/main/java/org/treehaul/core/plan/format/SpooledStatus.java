// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.SeenStatuses;

/**
 * The part of an entry's status that planning needs. Nearly all statuses of a plan are only bytes in a record of the
 * spool: {@link #put} writes these bytes, and most of them are copied into a manifest as they are.
 *
 * @param ctimeSeconds seconds of the last change of the status
 * @param ctimeNanos its nanoseconds, or {@link #NO_CHANGE_TIME} if the plan does not need it
 */
public record SpooledStatus(EntryKind kind, long size, long blocks, long mtimeSeconds, int mtimeNanos, long inode,
        long device, long ctimeSeconds, int ctimeNanos) {

    /** The value of {@code ctimeNanos} if the time is not recorded. */
    public static final int NO_CHANGE_TIME = -1;

    // The bytes at which the fields of a written status begin, least significant byte first. Those from the size to the inode, and
    // the time of the last change, are the same in a manifest.
    private static final int BLOCKS = 1;
    private static final int DEVICE = BLOCKS + Long.BYTES;
    static final int SIZE = DEVICE + Long.BYTES;
    private static final int MTIME = SIZE + Long.BYTES;
    private static final int MTIME_NANOS = MTIME + Long.BYTES;
    private static final int INODE = MTIME_NANOS + Integer.BYTES;
    static final int CTIME = INODE + Long.BYTES;
    private static final int CTIME_NANOS = CTIME + Long.BYTES;
    static final int END = CTIME_NANOS + Integer.BYTES;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Creates a status without the time of the last change of the status. */
    public SpooledStatus(EntryKind kind, long size, long blocks, long mtimeSeconds, int mtimeNanos, long inode,
            long device) {
        this(kind, size, blocks, mtimeSeconds, mtimeNanos, inode, device, 0, NO_CHANGE_TIME);
    }

    public static SpooledStatus of(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.blocks(), status.mtimeSeconds(),
                status.mtimeNanos(), status.inode(), status.device());
    }

    /** Returns a status that includes the time of its last change. */
    public static SpooledStatus withChangeTime(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.blocks(), status.mtimeSeconds(),
                status.mtimeNanos(), status.inode(), status.device(), status.ctimeSeconds(), status.ctimeNanos());
    }

    /** Returns the number of bytes that are written for a status with or without the time of its last change. */
    public static int bytes(boolean hasChangeTime) {
        return hasChangeTime ? END : CTIME;
    }

    /** Writes the status. */
    public void put(byte[] into, int at) {
        into[at] = (byte) PlanFiles.letter(kind);
        LONG.set(into, at + BLOCKS, blocks);
        LONG.set(into, at + DEVICE, device);
        LONG.set(into, at + SIZE, size);
        LONG.set(into, at + MTIME, mtimeSeconds);
        INT.set(into, at + MTIME_NANOS, mtimeNanos);
        LONG.set(into, at + INODE, inode);
        if (hasChangeTime()) {
            LONG.set(into, at + CTIME, ctimeSeconds);
            INT.set(into, at + CTIME_NANOS, ctimeNanos);
        }
    }

    /**
     * Writes the status of a regular file.
     *
     * @param statuses have it among those that were read ahead
     * @param index its position there
     * @param hasChangeTime whether the time of its last change is recorded
     */
    public static void put(SeenStatuses statuses, int index, boolean hasChangeTime, byte[] into, int at) {
        into[at] = (byte) PlanFiles.letter(EntryKind.REGULAR);
        LONG.set(into, at + BLOCKS, statuses.blocks(index));
        LONG.set(into, at + DEVICE, statuses.device(index));
        LONG.set(into, at + SIZE, statuses.size(index));
        LONG.set(into, at + MTIME, statuses.mtimeSeconds(index));
        INT.set(into, at + MTIME_NANOS, statuses.mtimeNanos(index));
        LONG.set(into, at + INODE, statuses.inode(index));
        if (hasChangeTime) {
            LONG.set(into, at + CTIME, statuses.ctimeSeconds(index));
            INT.set(into, at + CTIME_NANOS, statuses.ctimeNanos(index));
        }
    }

    /** Reads a status that ends at an offset. */
    public static SpooledStatus read(byte[] bytes, int at, int end) {
        boolean hasChangeTime = hasChangeTime(at, end);
        return new SpooledStatus(PlanFiles.kind(bytes[at]).orElseThrow(), size(bytes, at), blocks(bytes, at),
                (long) LONG.get(bytes, at + MTIME), (int) INT.get(bytes, at + MTIME_NANOS),
                (long) LONG.get(bytes, at + INODE), device(bytes, at),
                hasChangeTime ? (long) LONG.get(bytes, at + CTIME) : 0,
                hasChangeTime ? (int) INT.get(bytes, at + CTIME_NANOS) : NO_CHANGE_TIME);
    }

    /** Returns whether a written status, which begins and ends at these offsets, has the time of its last change. */
    static boolean hasChangeTime(int at, int end) {
        return end - at > CTIME;
    }

    /** Returns whether a written status is that of a regular file. */
    public static boolean isRegular(byte[] bytes, int at) {
        return bytes[at] == PlanFiles.letter(EntryKind.REGULAR);
    }

    /** Returns the size in a written status. */
    public static long size(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + SIZE);
    }

    /** Returns the blocks in a written status. */
    public static long blocks(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + BLOCKS);
    }

    /** Returns the device in a written status. */
    public static long device(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + DEVICE);
    }

    /** Returns the bytes to read, according to an estimate. */
    public long dataBytes(DataBytes estimate) {
        return estimate.of(kind, device, size, blocks);
    }

    /** Returns whether the time of the last change of the status is recorded. */
    public boolean hasChangeTime() {
        return ctimeNanos != NO_CHANGE_TIME;
    }

    /** Returns a status without blocks: a manifest holds the bytes of data instead. */
    public static SpooledStatus of(ManifestEntry entry) {
        Timestamp ctime = entry.ctime();
        return new SpooledStatus(entry.kind(), entry.size(), 0, entry.mtime().seconds(), entry.mtime().nanos(),
                entry.inode(), entry.device(), ctime == null ? 0 : ctime.seconds(),
                ctime == null ? NO_CHANGE_TIME : ctime.nanos());
    }
}
