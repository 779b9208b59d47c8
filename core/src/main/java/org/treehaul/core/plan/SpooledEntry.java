// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.nio.ByteBuffer;

import org.treehaul.core.entry.EntryKind;

/**
 * An entry on its way through the spool.
 *
 * @param role what it is among the names of its file
 * @param keyStart where the key of this name begins in the key that it is sorted by
 * @param status what is kept of its status
 */
record SpooledEntry(Role role, int keyStart, SpooledStatus status) {

    /** What an entry is among the names of its file. */
    enum Role {
        /** The only name within the transfer. */
        SINGLE('s'),
        /** The first of several. */
        FIRST('f'),
        /** A further one; it follows the first. */
        FURTHER('m');

        private final char letter;

        Role(char letter) {
            this.letter = letter;
        }

        static Role of(int letter) {
            return letter == SINGLE.letter ? SINGLE : letter == FIRST.letter ? FIRST : FURTHER;
        }
    }

    private static final int BYTES = 1 + 1 + 4 + 8 + 8 + 4 + 8 + 8;

    byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .put((byte) role.letter)
                .put((byte) PlanFiles.letter(status.kind()))
                .putInt(keyStart)
                .putLong(status.size())
                .putLong(status.mtimeSeconds())
                .putInt(status.mtimeNanos())
                .putLong(status.inode())
                .putLong(status.device())
                .array();
    }

    static SpooledEntry decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Role role = Role.of(in.get());
        EntryKind kind = PlanFiles.kind(in.get()).orElseThrow();
        return new SpooledEntry(role, in.getInt(),
                new SpooledStatus(kind, in.getLong(), in.getLong(), in.getInt(), in.getLong(), in.getLong()));
    }

    /** Returns the bytes of data that there are to copy. */
    long bytes() {
        return status.kind().hasData() ? status.size() : 0;
    }
}
