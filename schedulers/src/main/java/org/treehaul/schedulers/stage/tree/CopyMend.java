// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.StripeSum;

/**
 * Restores segments of which no copy is complete, in place: each stripe of a copy that is damaged or absent is written
 * again from another copy. The file gets another generation first, as for {@link CopyRebuild}. A stripe that is
 * complete is never written, so that a run which is killed leaves no less than there was.
 */
final class CopyMend {

    // Checksums in one request.
    private static final int PORTION = 8192;

    private final Stage stage;
    private final StripeCopy stripes;
    private final boolean isDurable;
    private final StageReports reports;

    /**
     * Creates the work.
     *
     * @param isDurable whether what was written is on disk at the end
     */
    CopyMend(Stage stage, StripeCopy stripes, boolean isDurable, StageReports reports) {
        this.stage = stage;
        this.stripes = stripes;
        this.isDurable = isDurable;
        this.reports = reports;
    }

    /**
     * Restores segments of a file. If this fails, some of their stripes are restored.
     *
     * @param entry the complete file
     * @param segments their numbers
     * @return the file as the catalogue has it afterwards
     * @throws StageException ESTALE if the file was removed, renamed, or opened to write during the work
     */
    StagedFile run(StagedFile entry, Set<Integer> segments) throws IOException {
        CopyRebuild.checkReached(stage, entry, Set.of());
        StagedFile repairing = stage.beginRepair(entry);
        boolean isRecorded;
        try {
            mend(repairing, segments);
        } finally {
            isRecorded = stage.endRepair(repairing, repairing);
        }
        if (!isRecorded) {
            throw new StageException(stage.catalogue().display(entry.path()),
                    "the file was opened to write, renamed or removed during the work: repeat it when it is closed",
                    Errno.ESTALE);
        }
        return repairing.in(StagedState.COMMITTED);
    }

    private void mend(StagedFile file, Set<Integer> segments) throws IOException {
        StripeLayout layout = file.layout();
        StripeRead reading = new StripeRead(stage, file);
        for (int segment : segments) {
            for (String server : file.good(segment)) {
                markEnd(file, segment, stage.segments(server));
            }
        }
        stripes.each(file.size(), file.stripe(), at -> !reports.isCancelled(), (tools, at) -> {
            if (segments.contains(layout.segmentOf(at))) {
                mend(reading, file, layout, at, tools);
            }
        });
        if (reports.isCancelled()) {
            return;
        }
        for (int segment : segments) {
            for (String server : file.good(segment)) {
                stage.segments(server).grow(file.key(segment), layout.segmentSize(segment, file.size()));
                if (isDurable) {
                    stage.segments(server).sync(file.key(segment));
                }
            }
        }
    }

    // Stripes behind the end of a copy that is short would be zeros without a checksum once a later one is written.
    private static void markEnd(StagedFile file, int segment, Segments copy) throws StageException {
        long size = copy.size(file.key(segment));
        long end = file.layout().segmentSize(segment, file.size());
        long last = (end + file.stripe() - 1) / file.stripe();
        for (long at = size / file.stripe(); size < end && at < last; at += PORTION) {
            long[] sums = new long[(int) Math.min(PORTION, last - at)];
            Arrays.fill(sums, incomplete(file.stripe()));
            copy.writeSums(file.key(segment), at, sums);
        }
    }

    // No stripe has this checksum, so that one which is written in part is known as damaged.
    private static long incomplete(long stripe) {
        return StripeSum.of((int) stripe + 1, 0);
    }

    private void mend(StripeRead reading, StagedFile file, StripeLayout layout, long at, StripeCopy.Tools tools)
            throws IOException {
        StripeRead.Sink counted = (bytes, offset, isAgain) -> reports.progress().bytesDone(bytes.byteSize());
        int segment = layout.segmentOf(at);
        Map<String, StripeRead.Stripe> whole = new LinkedHashMap<>();
        IOException failure = null;
        List<String> damaged = new ArrayList<>();
        for (String server : file.good(segment)) {
            try {
                whole.put(server, reading.copy(server, at, file.size(), tools.buffer(), counted));
            } catch (StripeRead.DamagedException | StageException e) {
                // Also a disk that does not read it, which may write it.
                damaged.add(server);
                failure = e;
            }
        }
        if (whole.isEmpty() && failure != null) {
            throw failure;
        }
        String from = StripeRead.best(whole);
        whole.forEach((server, stripe) -> {
            if (stripe.crc() != Objects.requireNonNull(whole.get(from)).crc()) {
                damaged.add(server);
            }
        });
        for (String server : damaged) {
            write(reading, file, at, from, stage.segments(server), tools);
        }
    }

    private void write(StripeRead reading, StagedFile file, long at, String from, Segments to, StripeCopy.Tools tools)
            throws IOException {
        StripeLayout layout = file.layout();
        SegmentKey key = file.key(layout.segmentOf(at));
        long begin = layout.offsetInSegment(at);
        long end = to.size(key);
        to.writeSums(key, begin / file.stripe(), new long[]{incomplete(file.stripe())});
        StripeRead.Stripe stripe = reading.copy(from, at, file.size(), tools.buffer(), (bytes, offset, isAgain) -> {
            long place = begin + offset - at;
            // Behind the end, zeros stay a hole.
            if (place < end || !OutFile.isZero(bytes)) {
                to.write(key, List.of(new SegmentPart(place, bytes)));
            }
        });
        // Bytes behind the end of the file, which a program wrote and did not close, are not taken over.
        boolean isWhole = StripeSum.length(stripe.sum()) <= Math.min(file.stripe(), file.size() - at);
        to.writeSums(key, begin / file.stripe(), new long[]{isWhole ? stripe.sum() : StripeSum.UNKNOWN});
    }
}
