// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Identifies an attempt at a batch, or at finishing.
 *
 * @param batch the number of the batch; in finishing the generation
 * @param number 1 for the first attempt
 */
public record AttemptName(int batch, int number) {

    private static final String SUFFIX = ".journal";
    private static final byte[] END = SUFFIX.getBytes(StandardCharsets.US_ASCII);
    private static final int MOST_DIGITS = 9;

    /** Returns the attempt of a journal; empty if the bytes are not the name of a journal. */
    static Optional<AttemptName> of(byte[] fileName, int from, int length) {
        int end = from + length - END.length;
        int dot = from;
        while (dot < end && fileName[dot] != '.') {
            dot++;
        }
        int batch = number(fileName, from, dot);
        int number = number(fileName, dot + 1, end);
        return batch < 0 || number < 0 || !Arrays.equals(fileName, end, end + END.length, END, 0, END.length)
                ? Optional.empty()
                : Optional.of(new AttemptName(batch, number));
    }

    // Returns -1 if the bytes are not 1 to 9 digits.
    private static int number(byte[] bytes, int from, int to) {
        if (to <= from || to - from > MOST_DIGITS) {
            return -1;
        }
        int number = 0;
        for (int at = from; at < to; at++) {
            if (bytes[at] < '0' || bytes[at] > '9') {
                return -1;
            }
            number = 10 * number + bytes[at] - '0';
        }
        return number;
    }

    boolean isOf(JournalRecord.Header header) {
        return header.batch() == batch && header.attempt() == number;
    }

    public AttemptName next() {
        return new AttemptName(batch, number + 1);
    }

    String journal() {
        return this + SUFFIX;
    }

    @Override
    public String toString() {
        return batch + "." + number;
    }
}
