// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
     * Builds copies of a file, each beside the one that it replaces. If this fails, the copies that were not built are
     * as they were.
     *
     * @param entry the complete file
     * @param copies the server that each of the copies gets, which may be the one that it has
     * @param damaged those of the copies that are marked for this: the ones that cannot be built lose the mark
     * @return the copies that were built: all, or some if the work was cancelled
     * @throws StageException ESTALE if the file was removed, renamed, or opened to write during the work, or one of the
     *         servers takes no new segments any more
     */
    List<CopyScan.Copy> run(StagedFile entry, Map<CopyScan.Copy, String> copies, Set<CopyScan.Copy> damaged)
            throws IOException {
        for (String server : copies.values()) {
            // Clients that have the file open lose it below: not for a server that cannot be reached.
            stage.segments(server);
        }
        checkReached(stage, entry, copies.keySet());
        StagedFile repairing = stage.beginRepair(entry, now -> {
            StagedFile marked = now;
            for (CopyScan.Copy copy : damaged) {
                marked = marked.withStale(copy.segment(), copy.server());
            }
            return marked;
        });
        StagedFile after = repairing;
        List<CopyScan.Copy> built = new ArrayList<>();
        IOException failure = null;
        for (Map.Entry<CopyScan.Copy, String> one : copies.entrySet()) {
            CopyScan.Copy copy = one.getKey();
            if (failure == null && !reports.isCancelled()) {
                try {
                    build(repairing, copy, one.getValue());
                    if (!reports.isCancelled()) {
                        after = after.withCopy(copy.segment(), copy.server(), one.getValue());
                        built.add(copy);
                        continue;
                    }
                } catch (IOException e) {
                    failure = e;
                }
            }
            after = undone(entry, repairing, after, copy, one.getValue(), damaged.contains(copy));
        }
        boolean isRecorded = stage.endRepair(repairing, after);
        for (CopyScan.Copy copy : built) {
            boolean isStale = repairing.isStale(copy.segment(), copy.server());
            String target = Objects.requireNonNull(copies.get(copy));
            if (!isRecorded && (isStale || !target.equals(copy.server()))) {
                remove(target, repairing.key(copy.segment()));
            }
            if (isStale) {
                // It stayed in the earlier generation, or in the one before if a repair was killed.
                remove(copy.server(), entry.key(copy.segment()));
                remove(copy.server(), entry.key(copy.segment()).in(Math.max(1, entry.generation() - 1)));
            } else if (isRecorded && !target.equals(copy.server())) {
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

    // The copy that was to be replaced follows into the generation of the others; one that is not stale has done so.
    private StagedFile undone(StagedFile entry, StagedFile repairing, StagedFile after, CopyScan.Copy copy,
            String target, boolean isDamaged) {
        boolean isStale = repairing.isStale(copy.segment(), copy.server());
        if (isStale || !target.equals(copy.server())) {
            remove(target, repairing.key(copy.segment()));
        }
        if (!isStale) {
            return after;
        }
        try {
            stage.segments(copy.server()).advance(entry.key(copy.segment()), repairing.generation());
            return isDamaged ? after.withCopy(copy.segment(), copy.server(), copy.server()) : after;
        } catch (StageException e) {
            // It is absent, or its server: it stays marked.
            return after;
        }
    }

    /**
     * Checks that no copy misses the next generation of a file only because its server does not answer now: it would be
     * marked, while the others may be damaged.
     *
     * @param replaced the copies that may miss it, if another one of the segment does not
     * @throws StageException the failure of a server
     */
    static void checkReached(Stage stage, StagedFile entry, Set<CopyScan.Copy> replaced) throws StageException {
        for (int i = 0; i < entry.segments(); i++) {
            StageException failure = null;
            boolean isReached = false;
            for (String server : entry.good(i)) {
                try {
                    stage.segments(server).size(entry.key(i));
                    isReached = true;
                } catch (StageException e) {
                    if (e.errno() == Errno.ESTALE) {
                        // It is absent, and misses nothing.
                        isReached = true;
                    } else if (e.errno() != Errno.ENODEV && !replaced.contains(new CopyScan.Copy(i, server))) {
                        throw e;
                    }
                    failure = e;
                }
            }
            if (!isReached && failure != null) {
                throw failure;
            }
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

    private void build(StagedFile file, CopyScan.Copy copy, String to) throws IOException {
        int segment = copy.segment();
        List<String> sources = new ArrayList<>(file.good(segment));
        // A copy that is moved stays the same: others may be damaged where they have no checksum.
        if (sources.remove(copy.server())) {
            sources.addFirst(copy.server());
        }
        long least = file.layout().segmentSize(segment, file.size());
        List<IOException> failures = new ArrayList<>();
        for (String from : sources) {
            try {
                build(file.key(segment), file.stripe(), least, from, to);
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

    private void build(SegmentKey key, long stripe, long least, String from, String to) throws IOException {
        Segments source = stage.segments(from);
        Segments target = stage.segments(to);
        long size = source.size(key);
        if (size < least) {
            throw new StripeRead.DamagedException(
                    "segment " + key.index() + " on server " + from + ": the data end at byte " + size);
        }
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
