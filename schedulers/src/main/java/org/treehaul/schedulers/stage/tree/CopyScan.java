// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
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
     * @return the copies that are not complete, with the reason; some are missing if the work was cancelled
     */
    Map<Copy, IOException> run(ParallelFile file, LongAdder unknown) throws IOException {
        Map<Copy, IOException> bad = new LinkedHashMap<>();
        StagedFile entry = file.staged();
        StripeLayout layout = file.layout();
        for (int i = 0; i < layout.segments(); i++) {
            for (String server : layout.serversOf(i)) {
                IOException problem = problem(entry, layout, i, server);
                if (problem != null) {
                    bad.put(new Copy(i, server), problem);
                }
            }
        }
        StripeRead reading = new StripeRead(stage, file);
        stripes.each(entry.size(), entry.stripe(), at -> !reports.isCancelled(),
                (tools, at) -> stripe(reading, layout, entry, at, tools, bad, unknown));
        return bad;
    }

    private @Nullable IOException problem(StagedFile entry, StripeLayout layout, int segment, String server) {
        String subject = "segment " + segment + " on server " + server;
        if (entry.isStale(segment, server)) {
            return new StageException(subject, "stale: the copy missed a write, or its server is lost", 0);
        }
        try {
            long size = stage.segments(server).size(entry.key(segment));
            return size < layout.segmentSize(segment, entry.size())
                    ? new StageException(subject, "short: the copy has " + size + " bytes", 0)
                    : null;
        } catch (StageException e) {
            return e.errno() == Errno.ESTALE ? new StageException(subject, "missing", 0, e) : e;
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

    private void stripe(StripeRead reading, StripeLayout layout, StagedFile entry, long at, StripeCopy.Tools tools,
            Map<Copy, IOException> bad, LongAdder unknown) {
        int segment = layout.segmentOf(at);
        StripeRead.@Nullable Stripe first = null;
        String firstServer = "";
        for (String server : layout.serversOf(segment)) {
            Copy copy = new Copy(segment, server);
            synchronized (bad) {
                if (bad.containsKey(copy)) {
                    continue;
                }
            }
            IOException problem = null;
            try {
                StripeRead.Stripe stripe = read(reading, server, at, entry, tools);
                reports.progress().bytesVerified(stripe.checked());
                if (first == null) {
                    first = stripe;
                    firstServer = server;
                    unknown.add(Math.min(entry.stripe(), entry.size() - at) - stripe.checked());
                } else if (stripe.crc() != first.crc() && read(reading, firstServer, at, entry, tools)
                        .crc() != read(reading, server, at, entry, tools).crc()) {
                    // Also when both were read again: a program may have written between.
                    problem = new StripeRead.DamagedException(
                            "stripe " + layout.offsetInSegment(at) / layout.stripe() + " of segment " + segment
                                    + " on server " + server + ": the bytes are not those of the first copy");
                }
            } catch (IOException e) {
                problem = e;
            }
            if (problem != null) {
                synchronized (bad) {
                    bad.putIfAbsent(copy, problem);
                }
            }
        }
    }
}
