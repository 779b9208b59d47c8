// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The format of the data that MPJ Express carries: one byte for the kind, then the content. */
final class Frame {

    static final int LONGEST = 1 + Communicator.LONGEST_MESSAGE;

    /** The kind of a frame. */
    enum Kind {
        /** A message. */
        DATA('d'),
        /** The receiver took this many bytes of messages; the sender may send as many more. */
        CREDIT('c'),
        /** The sender is alive. */
        BEAT('b'),
        /** The sender sends no more messages to this rank. */
        LEAVE('l'),
        /** The sender has received LEAVE from all ranks, and sends nothing more at all. */
        BYE('y'),
        /** A rank sends this to itself when the group is broken, to end its receiving. */
        STOP('s');

        private final byte code;

        Kind(char code) {
            this.code = (byte) code;
        }
    }

    private static final Kind[] KINDS = Kind.values();

    private Frame() {}

    static byte[] of(Kind kind) {
        return new byte[]{kind.code};
    }

    static byte[] data(byte[] message) {
        byte[] frame = new byte[1 + message.length];
        frame[0] = Kind.DATA.code;
        System.arraycopy(message, 0, frame, 1, message.length);
        return frame;
    }

    static byte[] credit(long bytes) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(Kind.CREDIT.code).putLong(bytes).array();
    }

    static Kind kind(byte[] frame) {
        for (Kind kind : KINDS) {
            if (frame.length > 0 && frame[0] == kind.code) {
                return kind;
            }
        }
        throw new RanksException("not a frame of this version: " + frame.length + " bytes");
    }

    static byte[] message(byte[] frame) {
        return Arrays.copyOfRange(frame, 1, frame.length);
    }

    static long credit(byte[] frame) {
        return ByteBuffer.wrap(frame).getLong(1);
    }
}
