// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.format.PlanFiles;
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

    private static final int BYTES = 1 + 1 + 4 + 8 + 8 + 8 + 4 + 8 + 8;
    private static final int CHANGE_TIME_BYTES = 8 + 4;
    // Set in the byte of the role if cuts and the numbers of servers follow at the end, each before their count.
    private static final int HAS_PLACES = 0x80;

    public byte[] encode() {
        boolean hasPlaces = !servers.isEmpty() || !cuts.isEmpty();
        int placeBytes = hasPlaces
                ? Long.BYTES * cuts.size() + Integer.BYTES + Integer.BYTES * servers.size() + Integer.BYTES
                : 0;
        ByteBuffer out = ByteBuffer.allocate((status.hasChangeTime() ? BYTES + CHANGE_TIME_BYTES : BYTES) + placeBytes)
                .put((byte) (hasPlaces ? role.letter | HAS_PLACES : role.letter))
                .put((byte) PlanFiles.letter(status.kind()))
                .putInt(keyStart)
                .putLong(status.size())
                .putLong(status.blocks())
                .putLong(status.mtimeSeconds())
                .putInt(status.mtimeNanos())
                .putLong(status.inode())
                .putLong(status.device());
        if (status.hasChangeTime()) {
            out.putLong(status.ctimeSeconds()).putInt(status.ctimeNanos());
        }
        if (hasPlaces) {
            cuts.forEach(out::putLong);
            out.putInt(cuts.size());
            servers.forEach(out::putInt);
            out.putInt(servers.size());
        }
        return out.array();
    }

    public static SpooledEntry decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int letter = in.get() & 0xFF;
        boolean hasPlaces = (letter & HAS_PLACES) != 0;
        List<Integer> servers = hasPlaces ? servers(in) : List.of();
        List<Long> cuts = hasPlaces ? cuts(in) : List.of();
        Role role = Role.of(letter & ~HAS_PLACES);
        EntryKind kind = PlanFiles.kind(in.get()).orElseThrow();
        boolean hasChangeTime = in.limit() > BYTES;
        return new SpooledEntry(role, in.getInt(),
                new SpooledStatus(kind, in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getLong(),
                        in.getLong(), hasChangeTime ? in.getLong() : 0,
                        hasChangeTime ? in.getInt() : SpooledStatus.NO_CHANGE_TIME),
                servers, cuts);
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
