// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.cli.common.RemotePaths;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.compare.store.StoreComparer;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.store.PosixStore;
import org.treehaul.core.copy.store.SubtreeSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.files.StageStore;

/** Two trees to compare, of which one at least is in a stage. */
public final class StagedTrees implements AutoCloseable {

    private final StagedPaths paths;
    private final EventListener events;
    private final List<PosixStore> open = new ArrayList<>();

    /**
     * Begins without trees.
     *
     * @param events receives notices and failures
     */
    public StagedTrees(StagedPaths paths, EventListener events) {
        this.paths = paths;
        this.events = events;
    }

    /**
     * Compares two trees.
     *
     * @throws IOException if one of them cannot be opened
     */
    public CompareResult compare(ByteString a, ByteString b, CompareOptions options, DifferenceListener listener,
            Progress progress, Cancellation cancellation) throws IOException {
        return new StoreComparer(side(a, options.followRoots()), side(b, options.followRoots()),
                options.withThreads(paths.threads())).compare(listener, events, progress, cancellation);
    }

    private StoreComparer.Side side(ByteString operand, boolean follows) throws IOException {
        if (RemotePaths.isStaged(operand)) {
            StagedEntry entry = paths.entry(operand);
            StageStore store = paths.store(entry.stage());
            return new StoreComparer.Side(operand, () -> store.source(entry.path()));
        }
        StagedPair.Place.Local local;
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            local = LocalPath.place(access, operand, follows);
        }
        PosixStore store = PosixStore.open(Linux.calls(), local.directory(), new CopyPair(Root.of(operand), operand),
                CopyOptions.builder().build(), notice -> events.onEvent(new Event.Notice(notice)));
        open.add(store);
        return new StoreComparer.Side(operand, () -> new SubtreeSource(store.source(), local.base()));
    }

    @Override
    public void close() {
        open.forEach(PosixStore::close);
    }
}
