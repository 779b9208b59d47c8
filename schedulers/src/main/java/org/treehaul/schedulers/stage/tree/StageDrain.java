// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
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
     * @throws StageException ENODEV if there is no such server, or it is lost
     */
    public boolean run(String name, StageReports reports) throws StageException {
        StageServer server = server(name);
        if (server.state() == StageServer.State.LOST) {
            throw new StageException(server.display(), "the server was taken out as lost", Errno.ENODEV);
        }
        stage.catalogue().change(server, StageServer.State.DRAINING);
        CopyTargets targets = new CopyTargets(stage);
        Set<UUID> failed = new HashSet<>();
        List<StagedFile> left = files(name);
        while (!reports.isCancelled() && left.stream().anyMatch(file -> isToMove(file, failed))) {
            FileLoop.each(stage, left.stream().filter(file -> isToMove(file, failed)), threads, reports,
                    file -> move(file, name, targets, reports, failed));
            left = files(name);
        }
        for (StagedFile file : left) {
            if (file.state() == StagedState.INTENT && !reports.isCancelled()) {
                reports.failed(StageOut.below(file.path(), ByteString.empty()),
                        new StageException(stage.catalogue().display(file.path()),
                                "a file that may be on server " + name
                                        + " is being made: repeat the drain when it is closed, or remove what a "
                                        + "killed program left with 'treehaul stage check --clean'",
                                Errno.EBUSY));
            }
        }
        return left.isEmpty() && stage.catalogue().change(server, StageServer.State.DRAINED);
    }

    private static boolean isToMove(StagedFile file, Set<UUID> failed) {
        synchronized (failed) {
            return file.state() != StagedState.INTENT && !failed.contains(file.id());
        }
    }

    private List<StagedFile> files(String name) {
        try (Stream<StagedFile> using = stage.catalogue().using(name)) {
            return using.toList();
        }
    }

    private void move(StagedFile file, String name, CopyTargets targets, StageReports reports, Set<UUID> failed) {
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
                new CopyRebuild(stage, stripes, isDurable, reports).run(file, targets.of(file, copies));
            }
            reports.progress().entryDone(EntryKind.REGULAR);
        } catch (IOException e) {
            synchronized (failed) {
                failed.add(file.id());
            }
            reports.failed(path, e);
        }
    }

    /**
     * Takes out a server that is lost with its segments: marks its copies, which {@link StageRepair} builds on other
     * servers.
     *
     * @param lost receives each file with a segment of which no other copy is complete
     * @throws StageException ENODEV if there is no such server
     */
    public void lost(String name, StageReports reports, Consumer<? super StagedFile> lost) throws StageException {
        stage.catalogue().change(server(name), StageServer.State.LOST);
        Set<String> gone = stage.catalogue()
                .servers()
                .stream()
                .filter(server -> server.state() == StageServer.State.LOST)
                .map(StageServer::name)
                .collect(Collectors.toSet());
        for (StagedFile file : files(name)) {
            if (file.state() == StagedState.INTENT) {
                continue;
            }
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
            if (isLost) {
                lost.accept(file);
            }
        }
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
