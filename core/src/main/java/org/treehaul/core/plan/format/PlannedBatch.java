// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.state.Checksum;

/**
 * A line of the table of batches.
 *
 * @param number the batch, from 0
 * @param entries entries of its manifest: names and chunks
 * @param files regular files among them; a file in chunks counts with its first chunk
 * @param bytes bytes to copy; hard links to the same file count once
 * @param data how many of these bytes must be read: all but holes
 * @param largest bytes of its largest entry
 * @param checksum CRC32C of its manifest except the last four bytes, which hold the same value
 */
public record PlannedBatch(int number, long entries, long files, long bytes, long data, long largest, int checksum) {

    /**
     * The table of batches of a sealed plan whose lines are those that this version writes. To read its numbers from
     * the bytes takes a small part of the time of a {@link TextFile}, and each job and each status of a transfer reads
     * the line of each batch. Any other text, of another version or damaged, is left to {@link TextFile}.
     */
    static final class Lines {

        private static final byte[] FIRST = ("treehaul-batches\t" + PlanHeader.VERSION + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        private static final int CHECKSUM_BYTES = Checksum.line(0).length();
        private static final int CHECKSUM_DIGITS = 8;
        // Any such number fits into a long.
        private static final int MOST_DIGITS = 18;

        private final byte[] text;
        private final int end;
        private int at = FIRST.length;
        private boolean isUsual;

        private Lines(byte[] text, int checksum) {
            this.text = text;
            this.end = text.length - CHECKSUM_BYTES;
            byte[] last = Checksum.line(checksum).getBytes(StandardCharsets.US_ASCII);
            this.isUsual = end >= FIRST.length && Arrays.equals(text, 0, FIRST.length, FIRST, 0, FIRST.length)
                    && Arrays.equals(text, end, text.length, last, 0, last.length)
                    && Checksum.of(text, 0, end) == checksum;
        }

        /**
         * Reads the batches; empty if the text is not the usual one.
         *
         * @param checksum the checksum of the text that the seal of the plan has
         */
        static Optional<List<PlannedBatch>> read(byte[] text, int checksum) {
            Lines lines = new Lines(text, checksum);
            List<PlannedBatch> batches = new ArrayList<>();
            while (lines.isUsual && lines.at < lines.end) {
                batches.add(lines.next(batches.size()));
            }
            return lines.isUsual && lines.at == lines.end ? Optional.of(batches) : Optional.empty();
        }

        private PlannedBatch next(int wanted) {
            long number = number('\t');
            isUsual &= number == wanted;
            long entries = number('\t');
            long files = number('\t');
            long bytes = number('\t');
            long largest = number('\t');
            int checksum = checksum();
            long data = number('\n');
            return new PlannedBatch(wanted, entries, files, bytes, data, largest, checksum);
        }

        private long number(char after) {
            int from = at;
            long number = 0;
            while (at < end && text[at] >= '0' && text[at] <= '9') {
                number = 10 * number + text[at++] - '0';
            }
            isUsual &= at > from && at - from <= MOST_DIGITS && isNext(after);
            at++;
            return number;
        }

        private int checksum() {
            int from = at;
            int checksum = 0;
            while (at < end && at - from < CHECKSUM_DIGITS && digit(text[at]) >= 0) {
                checksum = checksum << 4 | digit(text[at++]);
            }
            isUsual &= at - from == CHECKSUM_DIGITS && isNext('\t');
            at++;
            return checksum;
        }

        private boolean isNext(char c) {
            return at < end && text[at] == c;
        }

        private static int digit(byte b) {
            return b >= '0' && b <= '9' ? b - '0' : b >= 'a' && b <= 'f' ? b - 'a' + 10 : -1;
        }
    }
}
