// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.nio.ByteBuffer;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.format.PlanFiles;
import org.treehaul.core.plan.format.SpooledStatus;

/**
 * An entry in the spool.
 *
 * @param role its role among the names of its file
 * @param keyStart the offset of this name's own key in the sort key
 * @param status the part of its status that planning needs
 */
public record SpooledEntry(Role role, int keyStart, SpooledStatus status) {

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

    public byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(status.hasChangeTime() ? BYTES + CHANGE_TIME_BYTES : BYTES)
                .put((byte) role.letter)
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
        return out.array();
    }

    public static SpooledEntry decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Role role = Role.of(in.get());
        EntryKind kind = PlanFiles.kind(in.get()).orElseThrow();
        boolean hasChangeTime = bytes.length > BYTES;
        return new SpooledEntry(role, in.getInt(),
                new SpooledStatus(kind, in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getLong(),
                        in.getLong(), hasChangeTime ? in.getLong() : 0,
                        hasChangeTime ? in.getInt() : SpooledStatus.NO_CHANGE_TIME));
    }

    /** Returns the size of an entry that has data, 0 for others. */
    long bytes() {
        return status.kind().hasData() ? status.size() : 0;
    }
}
