// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.treehaul.strategies.ranks.communicator.RanksException;

/** The format of the messages: one byte for the kind, a number of eight bytes, and units of work. */
final class Message {

    static final int HEADER = WorkPool.MESSAGE_HEADER;

    /** The meaning of a message. */
    enum Kind {
        /** Requests work. The number: the units wanted; from a worker to its master, the results sent so far. */
        REQUEST('q'),
        /** Answers that there is no work to give. */
        REFUSAL('n'),
        /** Units of work: the answer to a request. */
        WORK('w'),
        /** Units that a worker found, to its master. The number is not used. */
        RESULT('r'),
        /** The token, white or black. The number: messages with work that were sent but not received. */
        WHITE_TOKEN('t'),
        BLACK_TOKEN('T'),
        /** All work is done; from rank 0 down a tree of ranks. */
        END('e'),
        /** This rank and those below it in the tree wait for nothing more; up the tree. */
        READY('y'),
        /** No message is on its way; down the tree, the last. */
        CLOSE('c');

        private final byte code;

        Kind(char letter) {
            code = (byte) letter;
        }
    }

    private static final Kind[] KINDS = Kind.values();
    private static final byte[] NOTHING = {};

    private Message() {}

    static byte[] of(Kind kind, long number) {
        return of(kind, number, NOTHING);
    }

    static byte[] of(Kind kind, long number, byte[] units) {
        return ByteBuffer.allocate(HEADER + units.length).put(kind.code).putLong(number).put(units).array();
    }

    static Kind kind(byte[] message) {
        if (message.length >= HEADER) {
            for (Kind kind : KINDS) {
                if (kind.code == message[0]) {
                    return kind;
                }
            }
        }
        throw new RanksException("not a message of this version: " + message.length + " bytes");
    }

    static long number(byte[] message) {
        return ByteBuffer.wrap(message).getLong(1);
    }

    static byte[] units(byte[] message) {
        return Arrays.copyOfRange(message, HEADER, message.length);
    }
}
