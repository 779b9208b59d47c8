// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.tuplespace.files.FileTuple;

/** Converts the entries that one thread of a walk finds to tuples, and passes them on directory by directory. */
final class IndexHandler implements WalkHandler<GatheredDirectory> {

    private final IndexRun run;
    // Null if there are no conditions.
    private final @Nullable FoundValues values;
    // Null if the servers of files are not stored.
    private final @Nullable FoundValues servers;
    private final ProgressPart progress;
    /** The entries that this thread has seen in each root. */
    private final long[] counts;

    IndexHandler(IndexRun run) {
        this.run = run;
        this.values = run.where().isAll() ? null : valuesOf(run);
        this.servers = run.isLocalityStored() ? valuesOf(run) : null;
        this.progress = run.progress();
        this.counts = new long[run.roots().size()];
    }

    private static FoundValues valuesOf(IndexRun run) {
        return new FoundValues(run.roots().stream().map(Root::of).toList());
    }

    /** Not while files are hashed: reading one may take so long that the status of the next would be old. */
    @Override
    public boolean readsAhead() {
        return !run.isHashing();
    }

    @Override
    public boolean needsDirectoryStatus() {
        return run.needsDirectoryStatus();
    }

    // Nearly all entries of most trees are regular files with one name, and need nothing besides their status.
    @Override
    public int readAhead(WalkDirectory<GatheredDirectory> directory, WalkWorker<GatheredDirectory> worker, int count) {
        if (values != null || servers != null || run.hasInner() || !run.isUsable()) {
            return 0;
        }
        SeenStatuses statuses = worker.access().seen();
        GatheredDirectory gathered = directory.attachment();
        ByteString path = gathered.pathForEntries();
        List<FileTuple> files = new ArrayList<>(count);
        int handled = 0;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (statuses.isFileWithOneName(i)) {
                handled |= 1 << i;
                bytes += statuses.size(i);
                files.add(FileTuple.of(path, statuses.nameString(i), statuses.status(i), null, run.generation()));
            }
        }
        if (handled != 0) {
            counts[directory.rootIndex()] += files.size();
            progress.filesDone(files.size(), bytes);
            gathered.addAll(files).ifPresent(run::put);
        }
        return handled;
    }

    @Override
    public Step entry(FoundEntry<GatheredDirectory> found) throws SystemCallException {
        FileStatus status = found.status();
        EntryKind kind = status.kind();
        WalkDirectory<GatheredDirectory> parent = found.parent();
        boolean isSelected = values == null || run.where().matches(values.of(found));
        if (!isSelected && kind != EntryKind.DIRECTORY && parent != null) {
            return run.isUsable() ? Step.CONTINUE : Step.QUIT;
        }
        long generation = isSelected ? run.generation() : 0;
        ByteString target = kind == EntryKind.SYMLINK
                ? found.access().linkTarget(found.parentDescriptor(), found.name())
                : null;
        if (parent == null) {
            ByteString path = run.root(found.rootIndex());
            FileTuple tuple = FileTuple.of(FileTuple.directoryOf(path), FileTuple.nameOf(path), status, target,
                    generation);
            run.foundRoot(found.rootIndex(), located(tuple, found));
        } else {
            GatheredDirectory directory = parent.attachment();
            FileTuple tuple = located(
                    FileTuple.of(directory.pathForEntries(), found.nameString(), status, target, generation), found);
            if (run.isElsewhere(found.rootIndex(), status)) {
                // The walk leaves its content out.
                tuple = tuple.withUnread(true, generation);
            }
            run.found(directory, tuple.name());
            directory.add(run.isHashing() && kind == EntryKind.REGULAR ? run.hashed(tuple, directory, found) : tuple)
                    .ifPresent(run::put);
        }
        if (isSelected) {
            counts[found.rootIndex()]++;
            progress.entryDone(kind, status.size());
        }
        return run.isUsable() ? Step.CONTINUE : Step.QUIT;
    }

    private FileTuple located(FileTuple tuple, FoundEntry<GatheredDirectory> found) {
        if (servers == null) {
            return tuple;
        }
        try {
            return tuple.withServer(servers.of(found).text(FileField.SERVER));
        } catch (SystemCallException e) {
            run.failed(EntryFailure.of(run.root(found.rootIndex()), found.path(), e));
            return tuple;
        }
    }

    @Override
    public GatheredDirectory enter(WalkDirectory<GatheredDirectory> directory, WalkWorker<GatheredDirectory> worker) {
        WalkDirectory<GatheredDirectory> parent = directory.parent();
        if (parent != null && run.isMuchHeld()) {
            parent.attachment().shrink().ifPresent(run::put);
        }
        return run.enter(new Place(directory.rootIndex(), directory.path()),
                run.needsDirectoryStatus() ? directory.status() : null);
    }

    @Override
    public void leave(WalkDirectory<GatheredDirectory> directory, WalkWorker<GatheredDirectory> worker) {
        if (directory.isAttached() && !directory.attachment().isElsewhere()) {
            GatheredDirectory gathered = directory.attachment();
            if (directory.isIncomplete()) {
                run.incomplete(gathered.place());
            }
            run.put(gathered.end(run.takeFailures(gathered.place()), !directory.isIncomplete()));
        }
    }

    @Override
    public void idle(WalkWorker<GatheredDirectory> worker) {
        progress.publish();
    }

    @Override
    public void finished(WalkWorker<GatheredDirectory> worker) {
        progress.publish();
        for (int i = 0; i < counts.length; i++) {
            run.count(i, counts[i]);
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        run.failed(failure);
    }
}
