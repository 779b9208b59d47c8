// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;

/**
 * Reads all copies of the files in a stage, and builds those that are stale, missing, short or damaged from a complete
 * one; where none is complete, it takes each stripe from a copy that has it. A run that was killed is continued by
 * repeating it.
 */
public final class StageRepair {

    private final Stage stage;
    private final int threads;
    private final StripeCopy stripes;
    private final boolean isDry;
    private final boolean isDurable;

    /**
     * A copy that was built, or would be.
     *
     * @param path the path of the file
     * @param segment the number of the segment
     * @param server the server that the copy was on
     * @param target the server that it was built on
     * @param problem what was wrong with it
     */
    public record Built(ByteString path, int segment, String server, String target, String problem) {}

    /**
     * Creates the repair.
     *
     * @param threads the number of threads for one file, 1 or more
     * @param isDry whether copies are only found
     * @param isDurable whether a copy is on disk before the catalogue names it
     */
    public StageRepair(FileSystemCalls calls, Stage stage, int threads, boolean isDry, boolean isDurable) {
        this.stage = stage;
        this.threads = threads;
        this.stripes = new StripeCopy(calls, threads);
        this.isDry = isDry;
        this.isDurable = isDurable;
    }

    /**
     * Repairs the files at and below a path.
     *
     * @param built receives each copy, one after another, from several threads
     * @throws StageException ENOENT if there is no such entry
     */
    public void run(ByteString path, StageReports reports, Consumer<? super Built> built) throws StageException {
        ByteString from = StagedPath.of(path);
        if (from.length() > 0 && !stage.catalogue().isAnythingAt(from)) {
            throw new StageException(stage.catalogue().display(from), "repair", Errno.ENOENT);
        }
        CopyTargets targets = new CopyTargets(stage);
        FileLoop.each(stage, stage.catalogue().below(from, false), threads, reports,
                entry -> file(entry, StageOut.below(entry.path(), from), targets, reports, built, !isDry));
    }

    private void file(StagedFile entry, TreePath path, CopyTargets targets, StageReports reports,
            Consumer<? super Built> built, boolean mayMend) {
        try (ParallelFile file = stage.open(entry, false)) {
            CopyScan.Found found = new CopyScan(stage, stripes, reports).run(file, new LongAdder());
            if (!reports.isCancelled() && mayMend && !found.torn().isEmpty()) {
                StagedFile mended = new CopyMend(stage, stripes, isDurable, reports).run(file.staged(), found.torn());
                if (!reports.isCancelled()) {
                    tell(mended, found, built, copy -> found.torn().contains(copy.segment())
                            && mended.good(copy.segment()).contains(copy.server()) ? copy.server() : null);
                }
                // The copies of these segments are complete now; those of others may not be.
                file(mended, path, targets, reports, built, false);
                return;
            }
            if (!reports.isCancelled() && !found.bad().isEmpty()) {
                repair(file.staged(), found, targets, reports, path, built);
            }
            reports.progress().entryDone(EntryKind.REGULAR);
        } catch (IOException e) {
            reports.failed(path, e);
        }
    }

    // A copy whose server does not answer at present may be complete: it is not marked. Nor does the file get another
    // generation, which that copy would miss.
    private void checkReached(String server, SegmentKey key) throws StageException {
        try {
            stage.segments(server).size(key);
        } catch (StageException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
        }
    }

    private void repair(StagedFile file, CopyScan.Found found, CopyTargets targets, StageReports reports, TreePath path,
            Consumer<? super Built> built) throws IOException {
        Map<CopyScan.Copy, IOException> bad = found.bad();
        List<CopyScan.Copy> copies = new ArrayList<>();
        for (Map.Entry<CopyScan.Copy, IOException> one : bad.entrySet()) {
            CopyScan.Copy copy = one.getKey();
            boolean hasOther = file.good(copy.segment())
                    .stream()
                    .anyMatch(server -> !bad.containsKey(new CopyScan.Copy(copy.segment(), server)));
            if (hasOther || isDry && found.torn().contains(copy.segment())) {
                copies.add(copy);
            } else {
                // The data are lost, unless the server comes back.
                reports.failed(path, one.getValue());
            }
        }
        if (copies.isEmpty()) {
            return;
        }
        Map<CopyScan.Copy, String> chosen = targets.of(file, copies);
        for (Map.Entry<CopyScan.Copy, String> one : chosen.entrySet()) {
            checkReached(one.getValue(), file.key(one.getKey().segment()));
        }
        if (!isDry) {
            Set<CopyScan.Copy> damaged = new HashSet<>();
            for (CopyScan.Copy copy : chosen.keySet()) {
                if (!file.isStale(copy.segment(), copy.server())) {
                    damaged.add(copy);
                }
            }
            chosen.keySet().retainAll(new CopyRebuild(stage, stripes, isDurable, reports).run(file, chosen, damaged));
        }
        tell(file, found, built, chosen::get);
    }

    private static void tell(StagedFile file, CopyScan.Found found, Consumer<? super Built> built,
            Function<CopyScan.Copy, @Nullable String> targets) {
        synchronized (built) {
            found.bad().forEach((copy, problem) -> {
                String target = targets.apply(copy);
                if (target != null) {
                    built.accept(new Built(file.path(), copy.segment(), copy.server(), target,
                            problem instanceof StageException e && e.errno() == 0
                                    ? e.operation()
                                    : StageReports.problem(problem)));
                }
            });
        }
    }
}
