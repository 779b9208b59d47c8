// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * Reads all copies of the segments of a file, compares each stripe with its checksum, and the copies with each other.
 * Changes nothing.
 */
final class CopyScan {

    /** One copy of a segment. */
    record Copy(int segment, String server) {}

    /**
     * The copies of a file that are not complete.
     *
     * @param bad these copies, with the reason
     * @param torn the segments of which no copy is complete, but each stripe is in one of those that missed no write
     */
    record Found(Map<Copy, IOException> bad, Set<Integer> torn) {}

    private final Stage stage;
    private final StripeCopy stripes;
    private final StageReports reports;

    CopyScan(Stage stage, StripeCopy stripes, StageReports reports) {
        this.stage = stage;
        this.stripes = stripes;
        this.reports = reports;
    }

    /**
     * Reads a file.
     *
     * @param unknown receives the number of bytes without a checksum
     * @return the copies that are not complete; some are missing if the work was cancelled
     */
    Found run(ParallelFile file, LongAdder unknown) throws IOException {
        Map<Copy, IOException> bad = new LinkedHashMap<>();
        // Those that are not read; a short one has some stripes.
        Set<Copy> gone = new HashSet<>();
        StagedFile entry = file.staged();
        StripeLayout layout = file.layout();
        for (int i = 0; i < layout.segments(); i++) {
            for (String server : layout.serversOf(i)) {
                problem(entry, layout, new Copy(i, server), bad, gone);
            }
        }
        Set<Integer> lost = ConcurrentHashMap.newKeySet();
        StripeRead reading = new StripeRead(stage, file.staged());
        stripes.each(entry.size(), entry.stripe(), at -> !reports.isCancelled(), (tools, at) -> {
            if (!stripe(reading, layout, entry, at, tools, gone, bad, unknown)) {
                lost.add(layout.segmentOf(at));
            }
        });
        Set<Integer> torn = new HashSet<>();
        for (int i = 0; i < layout.segments(); i++) {
            int segment = i;
            if (!lost.contains(i)
                    && layout.serversOf(i).stream().allMatch(one -> bad.containsKey(new Copy(segment, one)))
                    && !layout.serversOf(i).stream().allMatch(one -> gone.contains(new Copy(segment, one)))) {
                torn.add(i);
            }
        }
        return new Found(bad, torn);
    }

    private void problem(StagedFile entry, StripeLayout layout, Copy copy, Map<Copy, IOException> bad, Set<Copy> gone) {
        String subject = "segment " + copy.segment() + " on server " + copy.server();
        if (entry.isStale(copy.segment(), copy.server())) {
            gone.add(copy);
            bad.put(copy, new StageException(subject, "stale: the copy missed a write, or its server is lost", 0));
            return;
        }
        try {
            long size = stage.segments(copy.server()).size(entry.key(copy.segment()));
            if (size < layout.segmentSize(copy.segment(), entry.size())) {
                bad.put(copy, new StageException(subject, "short: the copy has " + size + " bytes", 0));
            }
        } catch (StageException e) {
            gone.add(copy);
            bad.put(copy, e.errno() == Errno.ESTALE ? new StageException(subject, "missing", 0, e) : e);
        }
    }

    private StripeRead.Stripe read(StripeRead reading, String server, long at, StagedFile entry, StripeCopy.Tools tools)
            throws IOException {
        StripeRead.Sink sink = (bytes, offset, isAgain) -> reports.progress().bytesDone(bytes.byteSize());
        try {
            return reading.copy(server, at, entry.size(), tools.buffer(), sink);
        } catch (StripeRead.DamagedException e) {
            // A program may have written between the checksum and the bytes.
            return reading.copy(server, at, entry.size(), tools.buffer(), sink);
        }
    }

    // Returns whether a copy has the stripe.
    private boolean stripe(StripeRead reading, StripeLayout layout, StagedFile entry, long at, StripeCopy.Tools tools,
            Set<Copy> gone, Map<Copy, IOException> bad, LongAdder unknown) {
        int segment = layout.segmentOf(at);
        Map<String, StripeRead.Stripe> whole = new LinkedHashMap<>();
        for (String server : layout.serversOf(segment)) {
            Copy copy = new Copy(segment, server);
            if (!gone.contains(copy)) {
                try {
                    StripeRead.Stripe stripe = read(reading, server, at, entry, tools);
                    reports.progress().bytesVerified(stripe.checked());
                    whole.put(server, stripe);
                } catch (IOException e) {
                    add(bad, copy, e);
                }
            }
        }
        if (whole.isEmpty()) {
            return false;
        }
        String best = StripeRead.best(whole);
        long crc = Objects.requireNonNull(whole.get(best)).crc();
        unknown.add(Math.min(entry.stripe(), entry.size() - at) - Objects.requireNonNull(whole.get(best)).checked());
        whole.forEach((server, stripe) -> {
            Copy copy = new Copy(segment, server);
            try {
                // Also when both were read again: a program may have written between.
                if (stripe.crc() != crc && read(reading, best, at, entry, tools)
                        .crc() != read(reading, server, at, entry, tools).crc()) {
                    add(bad, copy,
                            new StripeRead.DamagedException(
                                    "stripe " + layout.offsetInSegment(at) / layout.stripe() + " of segment " + segment
                                            + " on server " + server + ": the bytes are not those of server " + best));
                }
            } catch (IOException e) {
                add(bad, copy, e);
            }
        });
        return true;
    }

    private static void add(Map<Copy, IOException> bad, Copy copy, IOException problem) {
        synchronized (bad) {
            bad.putIfAbsent(copy, problem);
        }
    }
}
