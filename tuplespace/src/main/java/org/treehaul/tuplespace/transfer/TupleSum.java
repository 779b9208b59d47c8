// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A sum over any number of tuples in any order, by which two sets of them are compared without holding them. Equal sets
 * have equal sums; others have equal sums only by an accident of one in 2^128.
 */
final class TupleSum {

    private final MessageDigest digest;
    private long count;
    private long high;
    private long low;

    TupleSum() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds a tuple, whose text has all its components. */
    void add(Record tuple) {
        ByteBuffer hash = ByteBuffer.wrap(digest.digest(tuple.toString().getBytes(StandardCharsets.UTF_8)));
        count++;
        high += hash.getLong();
        low += hash.getLong();
    }

    /** Returns whether both were given the same tuples. */
    boolean isSameAs(TupleSum other) {
        return count == other.count && high == other.high && low == other.low;
    }
}
