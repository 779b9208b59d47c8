// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.StripeSum;

/**
 * Compares stripes with their checksums while a file is read. A stripe that is not read in order, from its beginning to
 * the end of its checksum, is not compared. Thread-safe; threads that read the same file keep each other from
 * comparing.
 */
final class StripeCheck {

    // The checksums of this many stripes of a segment are asked for at once.
    private static final int PORTION = 256;

    private final ParallelFile file;
    private final StripeLayout layout;
    private final CRC32C crc = new CRC32C();
    // The place up to which the stripe was read in order.
    private long reached = -1;
    private long sum;
    // The checksums of the stripes from the first one on, PORTION of each segment.
    private long[] @Nullable [] sums;
    private long firstOfSums = -1;

    StripeCheck(ParallelFile file) {
        this.file = file;
        this.layout = file.layout();
        this.sums = new long[layout.segments()][];
    }

    /**
     * Takes bytes that were read at an offset.
     *
     * @throws StageException EIO if a stripe does not have the checksum that it had when it was written
     */
    synchronized void read(ByteBuffer bytes, long offset) throws StageException {
        long at = offset;
        while (bytes.hasRemaining()) {
            long inStripe = at % layout.stripe();
            if (inStripe == 0) {
                crc.reset();
                sum = sumOf(at / layout.stripe());
                reached = at;
            }
            int length = (int) Math.min(bytes.remaining(), layout.stripe() - inStripe);
            if (reached == at) {
                part(bytes.slice(bytes.position(), length), at, inStripe);
                reached = at + length;
            }
            bytes.position(bytes.position() + length);
            at += length;
        }
    }

    private void part(ByteBuffer bytes, long at, long inStripe) throws StageException {
        int covered = StripeSum.length(sum);
        if (inStripe >= covered) {
            return;
        }
        int length = (int) Math.min(bytes.remaining(), covered - inStripe);
        crc.update(bytes.slice(0, length));
        if (inStripe + length == covered && StripeSum.of(covered, crc.getValue()) != sum && !isChanged(at)) {
            int segment = layout.segmentOf(at);
            throw new StageException(file.path().toString(),
                    "the checksum of stripe " + layout.offsetInSegment(at) / layout.stripe() + " of segment " + segment
                            + " on server " + String.join(" or ", file.staged().good(segment)) + " differs",
                    Errno.EIO);
        }
    }

    // Another client has written to the stripe since its checksum was read, and the bytes are its old or its new ones.
    private boolean isChanged(long at) throws StageException {
        long[] now = new long[1];
        file.readSums(layout.segmentOf(at), layout.offsetInSegment(at) / layout.stripe(), now);
        return now[0] != sum;
    }

    private long sumOf(long stripe) throws StageException {
        int segment = (int) (stripe % layout.segments());
        long number = stripe / layout.segments();
        if (number / PORTION != firstOfSums) {
            sums = new long[layout.segments()][];
            firstOfSums = number / PORTION;
        }
        long[] known = sums[segment];
        if (known == null) {
            known = new long[PORTION];
            file.readSums(segment, firstOfSums * PORTION, known);
            sums[segment] = known;
        }
        return known[(int) (number % PORTION)];
    }
}
