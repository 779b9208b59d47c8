// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;

/** Takes a server out of a stage: moves its segments to others, or gives up those of a server that is lost. */
public final class StageDrain {

    private final Stage stage;
    private final int threads;
    private final boolean isDurable;
    private final StripeCopy stripes;

    /**
     * Creates the work.
     *
     * @param threads the number of threads, 1 or more
     * @param isDurable whether a segment is on the disk of its new server before the old one removes it
     */
    public StageDrain(FileSystemCalls calls, Stage stage, int threads, boolean isDurable) {
        this.stage = stage;
        this.threads = threads;
        this.isDurable = isDurable;
        this.stripes = new StripeCopy(calls, threads);
    }

    private StageServer server(String name) throws StageException {
        return stage.catalogue()
                .servers()
                .stream()
                .filter(server -> server.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new StageException("server " + ByteString.printable(name),
                        "the stage " + stage.catalogue().stage() + " has no such server", Errno.ENODEV));
    }

    /**
     * Moves the segments of a server to others: copies each, compares it with its checksums, records the new place, and
     * removes the segment. The server takes nothing new from the beginning on. Repeating a run that was killed
     * continues it.
     *
     * @return whether the server is drained; otherwise each file that is left was reported
     * @throws StageException ENODEV if there is no such server, or it is lost; EBUSY if {@link #undo} ended the drain:
     *         segments that were not moved stay there
     */
    public boolean run(String name, StageReports reports) throws StageException {
        StageServer server = server(name);
        if (server.state() == StageServer.State.LOST) {
            throw new StageException(server.display(), "the server was taken out as lost", Errno.ENODEV);
        }
        stage.catalogue().change(server, StageServer.State.DRAINING);
        CopyTargets targets = new CopyTargets(stage);
        Set<UUID> failed = ConcurrentHashMap.newKeySet();
        AtomicLong found = new AtomicLong();
        AtomicBoolean isTakenBack = new AtomicBoolean();
        do {
            found.set(0);
            // Some are closed only now, and those that were moved may be passed again.
            FileLoop.each(stage,
                    stage.catalogue().using(name).filter(file -> !isTakenBack.get() && isToMove(file, failed)), threads,
                    reports, file -> {
                        found.incrementAndGet();
                        if (!move(file, name, targets, reports, failed)) {
                            isTakenBack.set(true);
                        }
                    });
        } while (!reports.isCancelled() && !isTakenBack.get() && found.get() > 0);
        if (isTakenBack.get()) {
            throw new StageException(server.display(),
                    "the server was taken back during the drain, and keeps the segments that were not moved",
                    Errno.EBUSY);
        }
        boolean[] isLeft = {!failed.isEmpty() || reports.isCancelled()};
        try (Stream<StagedFile> using = stage.catalogue().using(name)) {
            using.filter(file -> file.state() == StagedState.INTENT)
                    .takeWhile(file -> !reports.isCancelled())
                    .forEach(file -> {
                        isLeft[0] = true;
                        reports.failed(StageOut.below(file.path(), ByteString.empty()), new StageException(
                                stage.catalogue().display(file.path()),
                                "a file that may be on server " + name
                                        + " is being made: repeat the drain when it is closed, or remove what a "
                                        + "killed program left with 'treehaul stage check --clean'",
                                Errno.EBUSY));
                    });
        }
        return !isLeft[0] && stage.catalogue().change(server, StageServer.State.DRAINED);
    }

    private static boolean isToMove(StagedFile file, Set<UUID> failed) {
        return file.state() != StagedState.INTENT && !failed.contains(file.id());
    }

    // Returns false if the server takes segments again: its own ones would be removed to be built there anew.
    private boolean move(StagedFile file, String name, CopyTargets targets, StageReports reports, Set<UUID> failed) {
        TreePath path = StageOut.below(file.path(), ByteString.empty());
        try {
            List<CopyScan.Copy> copies = new ArrayList<>();
            for (int i = 0; i < file.segments(); i++) {
                if (file.layout().serversOf(i).contains(name)) {
                    copies.add(new CopyScan.Copy(i, name));
                }
            }
            if (copies.isEmpty()) {
                // It has fewer segments than servers.
                stage.catalogue().placed(file);
            } else {
                Map<CopyScan.Copy, String> chosen = targets.of(file, copies);
                if (chosen.containsValue(name)) {
                    return false;
                }
                new CopyRebuild(stage, stripes, isDurable, reports).run(file, chosen, Set.of());
            }
            reports.progress().entryDone(EntryKind.REGULAR);
        } catch (IOException e) {
            failed.add(file.id());
            reports.failed(path, e);
        }
        return true;
    }

    /**
     * Takes out a server that is lost with its segments: marks its copies, which {@link StageRepair} builds on other
     * servers. {@link #undo} takes that back.
     *
     * @param isForced whether a server that answers is given up, too
     * @param lost receives each file with a segment of which no other copy is complete
     * @throws StageException ENODEV if there is no such server, EBUSY if it answers
     */
    public void lost(String name, boolean isForced, StageReports reports, Consumer<? super StagedFile> lost)
            throws StageException {
        StageServer server = server(name);
        if (!isForced && server.state() != StageServer.State.LOST && answers(name)) {
            throw new StageException(server.display(),
                    "the server answers: 'drain' without --lost keeps what it has, --force gives it up", Errno.EBUSY);
        }
        stage.catalogue().change(server, StageServer.State.LOST);
        Set<String> gone = stage.catalogue()
                .servers()
                .stream()
                .filter(one -> one.state() == StageServer.State.LOST)
                .map(StageServer::name)
                .collect(Collectors.toSet());
        // A file of which some segments are marked and others lost is passed once more after the marks.
        Set<UUID> told = new HashSet<>();
        try (Stream<StagedFile> using = stage.catalogue().using(name)) {
            using.filter(file -> file.state() != StagedState.INTENT).forEach(file -> {
                boolean isLost = false;
                StagedFile now = file;
                for (int i = 0; i < file.segments(); i++) {
                    if (file.layout().serversOf(i).contains(name) && !now.isStale(i, name)) {
                        if (gone.containsAll(now.good(i))) {
                            isLost = true;
                        } else {
                            now = marked(now, i, name, reports);
                        }
                    }
                }
                if (isLost && (now.equals(file) ? !told.contains(file.id()) : told.add(file.id()))) {
                    lost.accept(file);
                }
            });
        }
    }

    private boolean answers(String name) {
        try {
            stage.segments(name);
            return true;
        } catch (StageException e) {
            return false;
        }
    }

    /**
     * Takes back that a server was drained, or given up as lost: it takes new segments, and what it has is read again,
     * except copies that were marked, which {@link StageRepair} builds.
     *
     * @throws StageException ENODEV if there is no such server; its own failure if it does not answer: it stays as it
     *         was then
     */
    public void undo(String name) throws StageException {
        StageServer server = server(name);
        stage.connect(server);
        stage.catalogue().change(server, StageServer.State.ACTIVE);
    }

    private StagedFile marked(StagedFile file, int segment, String name, StageReports reports) {
        try {
            return stage.markStale(file, segment, name);
        } catch (StageException e) {
            reports.failed(StageOut.below(file.path(), ByteString.empty()), e);
            return file;
        }
    }
}
