// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.plan.format.SpooledStatus;

/**
 * An entry in the spool.
 *
 * @param role its role among the names of its file
 * @param keyStart the offset of this name's own key in the sort key
 * @param status the part of its status that planning needs
 * @param servers the number of the servers of the file in the plan's table, or one number for each of its chunks; empty
 *        if they are unknown
 * @param cuts the offsets at which the file is divided, if its layout and no size decides that; empty if it is not
 */
public record SpooledEntry(Role role, int keyStart, SpooledStatus status, List<Integer> servers, List<Long> cuts) {

    public SpooledEntry {
        servers = List.copyOf(servers);
        cuts = List.copyOf(cuts);
    }

    /** Creates an entry whose servers are unknown. */
    public SpooledEntry(Role role, int keyStart, SpooledStatus status) {
        this(role, keyStart, status, List.of(), List.of());
    }

    /** Role of an entry among the names of its file. */
    public enum Role {
        /** The only name within the transfer. */
        SINGLE('s'),
        /** The first of several names. */
        FIRST('f'),
        /** A further name; it follows the first. */
        FURTHER('m');

        private final char letter;

        Role(char letter) {
            this.letter = letter;
        }

        static Role of(int letter) {
            return letter == SINGLE.letter ? SINGLE : letter == FIRST.letter ? FIRST : FURTHER;
        }
    }

    // The bytes at which the fields begin; the status is the last one.
    private static final int KEY_START = 1;
    private static final int STATUS = KEY_START + Integer.BYTES;
    // Set in the byte of the role if cuts and the numbers of servers follow at the end, each before their count.
    private static final int HAS_PLACES = 0x80;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /** Returns the bytes that {@link #put(SpooledStatus, byte[], int)} writes. */
    public static int bytes(SpooledStatus status) {
        return bytes(status.hasChangeTime());
    }

    /** Returns the bytes of an entry with or without the time of the last change of its status. */
    public static int bytes(boolean hasChangeTime) {
        return STATUS + SpooledStatus.bytes(hasChangeTime);
    }

    /**
     * Writes a regular file that has one name and whose servers are unknown.
     *
     * @param statuses have its status among those that were read ahead
     * @param index its position there
     * @param hasChangeTime whether the time of the last change of its status is recorded
     */
    public static void put(SeenStatuses statuses, int index, boolean hasChangeTime, byte[] into, int at) {
        into[at] = (byte) Role.SINGLE.letter;
        INT.set(into, at + KEY_START, 0);
        SpooledStatus.put(statuses, index, hasChangeTime, into, at + STATUS);
    }

    /** Writes an entry that is the only name of its file and whose servers are unknown. */
    public static void put(SpooledStatus status, byte[] into, int at) {
        put(Role.SINGLE.letter, 0, status, into, at);
    }

    private static void put(int role, int keyStart, SpooledStatus status, byte[] into, int at) {
        into[at] = (byte) role;
        INT.set(into, at + KEY_START, keyStart);
        status.put(into, at + STATUS);
    }

    /**
     * Returns whether a written entry is a regular file with one name whose servers are unknown, as most are: it has
     * only a status, which {@link #statusStart} returns, and its own key is the sort key.
     */
    public static boolean isFileWithOneName(byte[] bytes, int from) {
        return bytes[from] == Role.SINGLE.letter && SpooledStatus.isRegular(bytes, from + STATUS);
    }

    /** Returns where the status of a written entry begins. */
    public static int statusStart(int from) {
        return from + STATUS;
    }

    public byte[] encode() {
        boolean hasPlaces = !servers.isEmpty() || !cuts.isEmpty();
        int placeBytes = hasPlaces
                ? Long.BYTES * cuts.size() + Integer.BYTES + Integer.BYTES * servers.size() + Integer.BYTES
                : 0;
        byte[] bytes = new byte[bytes(status) + placeBytes];
        put(hasPlaces ? role.letter | HAS_PLACES : role.letter, keyStart, status, bytes, 0);
        if (hasPlaces) {
            ByteBuffer out = ByteBuffer.wrap(bytes, bytes(status), placeBytes);
            cuts.forEach(out::putLong);
            out.putInt(cuts.size());
            servers.forEach(out::putInt);
            out.putInt(servers.size());
        }
        return bytes;
    }

    public static SpooledEntry decode(byte[] bytes) {
        return decode(bytes, 0, bytes.length);
    }

    /** Reads an entry from a part of an array. */
    public static SpooledEntry decode(byte[] bytes, int from, int to) {
        int letter = bytes[from] & 0xFF;
        int end = to;
        List<Integer> servers = List.of();
        List<Long> cuts = List.of();
        if ((letter & HAS_PLACES) != 0) {
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, to);
            servers = servers(in);
            cuts = cuts(in);
            end = in.limit();
        }
        return new SpooledEntry(Role.of(letter & ~HAS_PLACES), (int) INT.get(bytes, from + KEY_START),
                SpooledStatus.read(bytes, from + STATUS, end), servers, cuts);
    }

    // Takes the numbers off the end.
    private static List<Integer> servers(ByteBuffer in) {
        int end = in.limit() - Integer.BYTES;
        int count = in.getInt(end);
        int start = end - Integer.BYTES * count;
        List<Integer> servers = new ArrayList<>(count);
        for (int at = start; at < end; at += Integer.BYTES) {
            servers.add(in.getInt(at));
        }
        in.limit(start);
        return servers;
    }

    // Takes the offsets off the end.
    private static List<Long> cuts(ByteBuffer in) {
        int end = in.limit() - Integer.BYTES;
        int start = end - Long.BYTES * in.getInt(end);
        List<Long> cuts = new ArrayList<>();
        for (int at = start; at < end; at += Long.BYTES) {
            cuts.add(in.getLong(at));
        }
        in.limit(start);
        return cuts;
    }

    /** Returns the number of the servers of a chunk, or of the whole file if it is not divided; 0 if unknown. */
    public int server(int chunk) {
        return servers.isEmpty() ? 0 : servers.get(servers.size() == 1 ? 0 : chunk);
    }

    /** Returns the size of an entry that has data, 0 for others. */
    long bytes() {
        return status.kind().hasData() ? status.size() : 0;
    }
}
