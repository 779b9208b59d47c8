// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.Locale;

/** The operation of a request. */
enum Operation {
    /** Makes a segment. */
    CREATE('c'),
    /** Reads the ranges. */
    READ('r'),
    /** Writes the data to the ranges. */
    WRITE('w'),
    /** Makes a segment with the data; the argument is the checksum of its only stripe. */
    PUT('p'),
    /** Returns the size. */
    SIZE('s'),
    /** Sets the size to the argument. */
    TRUNCATE('t'),
    /** Makes the segment at least as large as the argument. */
    GROW('G'),
    /** Sets the generation to the argument. */
    ADVANCE('g'),
    /** Reads checksums, from that of the stripe whose number is the argument. */
    READ_SUMS('k'),
    /** Writes checksums, from that of the stripe whose number is the argument. */
    WRITE_SUMS('K'),
    /** Makes a segment durable. */
    SYNC('y'),
    /** Removes a segment. */
    REMOVE('d'),
    /** Begins a listing, and returns its first part. */
    LIST('l'),
    /** Returns the next part of the listing that the request with the id in the argument began. */
    LIST_MORE('m'),
    /** Ends that listing. */
    LIST_END('e'),
    /** Returns the name of the host, a NUL, and the path of the directory. */
    DESCRIBE('i'),
    /** A sign of life, which has no answer. */
    BEAT('b');

    private static final Operation[] ALL = values();

    private final byte code;

    Operation(char code) {
        this.code = (byte) code;
    }

    byte code() {
        return code;
    }

    /** Returns the words for messages. */
    String words() {
        return switch (this) {
            case READ_SUMS -> "read the checksums of";
            case WRITE_SUMS -> "write the checksums of";
            case LIST_MORE, LIST_END -> "list";
            default -> name().toLowerCase(Locale.ROOT);
        };
    }

    /** Returns whether the operation changes something. */
    boolean isChange() {
        return switch (this) {
            case READ, SIZE, READ_SUMS, LIST, LIST_MORE, LIST_END, DESCRIBE, BEAT -> false;
            default -> true;
        };
    }

    static Operation of(byte code) throws Wire.BrokenException {
        for (Operation operation : ALL) {
            if (operation.code == code) {
                return operation;
            }
        }
        throw new Wire.BrokenException(
                "it requested operation " + (code & 0xff) + ", which this version does not have");
    }
}
