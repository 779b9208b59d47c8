// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeSum;

/**
 * Builds copies of segments from complete ones, on the same servers or on others. The file gets another generation
 * first, so that no client with the file open changes it; one that opens it to write ends the work, which changes
 * nothing then.
 */
final class CopyRebuild {

    private final Stage stage;
    private final StripeCopy stripes;
    private final boolean isDurable;
    private final StageReports reports;

    /**
     * Creates the work.
     *
     * @param isDurable whether a copy is on disk before the catalogue names it
     */
    CopyRebuild(Stage stage, StripeCopy stripes, boolean isDurable, StageReports reports) {
        this.stage = stage;
        this.stripes = stripes;
        this.isDurable = isDurable;
        this.reports = reports;
    }

    /**
     * Builds copies of a file. If this fails, the copies that were not built stay stale, or where they were.
     *
     * @param entry the complete file, whose damaged copies are marked
     * @param copies the server that each of the copies gets, which may be the one that it has
     * @return the copies that were built: all, or some if the work was cancelled
     * @throws StageException ESTALE if the file was removed, renamed, or opened to write during the work, or one of the
     *         servers takes no new segments any more
     */
    List<CopyScan.Copy> run(StagedFile entry, Map<CopyScan.Copy, String> copies) throws IOException {
        for (String server : copies.values()) {
            // Clients that have the file open lose it below: not for a server that cannot be reached.
            stage.segments(server);
        }
        for (int i = 0; i < entry.segments(); i++) {
            checkReached(entry.good(i));
        }
        StagedFile repairing = stage.beginRepair(entry);
        StagedFile after = repairing;
        List<CopyScan.Copy> built = new ArrayList<>();
        IOException failure = null;
        for (Map.Entry<CopyScan.Copy, String> one : copies.entrySet()) {
            CopyScan.Copy copy = one.getKey();
            if (failure != null || reports.isCancelled()) {
                break;
            }
            if (repairing.isStale(copy.segment(), copy.server())) {
                // The stale copy stayed in the earlier generation, which no client reads any more.
                remove(copy.server(), entry.key(copy.segment()));
            }
            try {
                build(repairing, copy.segment(), one.getValue());
                if (!reports.isCancelled()) {
                    after = after.withCopy(copy.segment(), copy.server(), one.getValue());
                    built.add(copy);
                }
            } catch (IOException e) {
                failure = e;
            }
        }
        boolean isRecorded = stage.endRepair(repairing, after);
        for (Map.Entry<CopyScan.Copy, String> one : copies.entrySet()) {
            CopyScan.Copy copy = one.getKey();
            if (!isRecorded || !built.contains(copy)) {
                // A copy that moves is still the one to read from.
                if (repairing.isStale(copy.segment(), copy.server()) || !one.getValue().equals(copy.server())) {
                    remove(one.getValue(), repairing.key(copy.segment()));
                }
            } else if (!one.getValue().equals(copy.server())) {
                remove(copy.server(), repairing.key(copy.segment()));
            }
        }
        if (!isRecorded) {
            StageException ended = new StageException(stage.catalogue().display(entry.path()),
                    "the file was opened to write, renamed or removed during the work, or a server that was to get a "
                            + "copy is drained: repeat it when it is closed",
                    Errno.ESTALE);
            if (failure != null) {
                ended.addSuppressed(failure);
            }
            throw ended;
        }
        if (failure != null) {
            throw failure;
        }
        return built;
    }

    private void checkReached(List<String> servers) throws StageException {
        StageException failure = null;
        for (String server : servers) {
            try {
                stage.segments(server);
                return;
            } catch (StageException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void remove(String server, SegmentKey key) {
        try {
            stage.segments(server).remove(key);
        } catch (StageException e) {
            // It takes room until 'stage check --clean' removes it.
            return;
        }
    }

    private void build(StagedFile file, int segment, String to) throws IOException {
        List<IOException> failures = new ArrayList<>();
        for (String from : file.good(segment)) {
            try {
                build(file.key(segment), file.stripe(), from, to);
                return;
            } catch (IOException e) {
                failures.add(e);
            }
        }
        IOException first = failures.isEmpty()
                ? new StageException(stage.catalogue().display(file.path()),
                        "no copy of segment " + segment + " is complete", Errno.EIO)
                : failures.getFirst();
        failures.stream().skip(1).forEach(first::addSuppressed);
        throw first;
    }

    private void build(SegmentKey key, long stripe, String from, String to) throws IOException {
        Segments source = stage.segments(from);
        Segments target = stage.segments(to);
        long size = source.size(key);
        target.remove(key);
        target.create(key);
        stripes.each(size, stripe, at -> !reports.isCancelled(), (tools, at) -> {
            long[] sum = new long[1];
            source.readSums(key, at / stripe, sum);
            int covered = StripeSum.length(sum[0]);
            long length = Math.min(stripe, size - at);
            CRC32C crc = new CRC32C();
            long done = 0;
            while (done < length) {
                MemorySegment part = tools.buffer().asSlice(0, Math.min(tools.buffer().byteSize(), length - done));
                long count = source.read(key, List.of(new SegmentPart(at + done, part)));
                if (count < part.byteSize()) {
                    throw damaged(key, at / stripe, from, "the data end at byte " + (at + done + count));
                }
                if (done < covered) {
                    crc.update(part.asByteBuffer().slice(0, (int) Math.min(count, covered - done)));
                }
                // Zeros stay a hole.
                if (!OutFile.isZero(part)) {
                    target.write(key, List.of(new SegmentPart(at + done, part)));
                }
                reports.progress().bytesDone(count);
                done += count;
            }
            if (covered > length || StripeSum.of(covered, crc.getValue()) != sum[0]) {
                throw damaged(key, at / stripe, from, "the checksum differs");
            }
            if (sum[0] != StripeSum.UNKNOWN) {
                target.writeSums(key, at / stripe, sum);
            }
        });
        if (reports.isCancelled()) {
            return;
        }
        if (size > 0) {
            target.grow(key, size);
        }
        if (isDurable) {
            target.sync(key);
        }
    }

    private static StripeRead.DamagedException damaged(SegmentKey key, long number, String server, String problem) {
        return new StripeRead.DamagedException(
                "stripe " + number + " of segment " + key.index() + " on server " + server + ": " + problem);
    }
}
