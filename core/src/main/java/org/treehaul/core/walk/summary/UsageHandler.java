// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/**
 * Sums up the directories of one root on one thread: the space of an entry is added when it is found, and that of a
 * directory to its parent when everything below it is done.
 *
 * <p>
 * A directory is counted when it is open, because its status is read then anyway, or when it cannot be opened. Its name
 * in its parent is examined, as that of other entries is, only if it may lead to another file system or be a followed
 * link.
 */
final class UsageHandler implements WalkHandler<UsageContent> {

    private static final UsageContent NONE = new UsageContent(null);

    private final ByteString root;
    private final UsageOptions options;
    private final CountedOnce once;
    private final boolean countsOpened;
    private final ProgressPart progress;
    private final Consumer<EntryFailure> failures;
    private final Consumer<PathUsage> receiver;
    private final UsageSums total = new UsageSums();
    private @Nullable FileStatus unopenedRoot;

    /**
     * Creates the handler of a thread.
     *
     * @param root the root as the user gave it
     * @param isWithoutStatus whether the walk leaves it to the handler to read the status of entries
     * @param progress counts the entries that count
     * @param receiver receives the paths to report, a directory after everything below it
     */
    UsageHandler(ByteString root, UsageOptions options, CountedOnce once, boolean isWithoutStatus, Progress progress,
            Consumer<EntryFailure> failures, Consumer<PathUsage> receiver) {
        this.root = root;
        this.options = options;
        this.once = once;
        this.countsOpened = isWithoutStatus && once.canWait();
        this.progress = new ProgressPart(progress);
        this.failures = failures;
        this.receiver = receiver;
    }

    /** Returns the sums of all entries that this thread has counted. */
    UsageSums total() {
        return total;
    }

    @Override
    public Step entry(FoundEntry<UsageContent> found) throws SystemCallException {
        WalkDirectory<UsageContent> parent = found.parent();
        boolean waits = countsOpened && parent != null && !found.isFollowed();
        if (waits && found.kind() == EntryKind.DIRECTORY) {
            return Step.CONTINUE;
        }
        if (!once.counts(found)) {
            return Step.SKIP;
        }
        boolean isDirectory = found.kind() == EntryKind.DIRECTORY;
        if (waits && isDirectory) {
            // It was something else when it was listed.
            return Step.CONTINUE;
        }
        count(parent, found.kind(), found.size(), found.blocks());
        if (parent == null && isDirectory) {
            unopenedRoot = found.status();
        }
        if (!isDirectory && (parent == null || options.files())) {
            int depth = parent == null ? 0 : parent.path().depth() + 1;
            if (depth <= options.maxDepth()) {
                report(found.path(), found.status(), NONE);
            }
        }
        return Step.CONTINUE;
    }

    // Nearly all entries of most trees are regular files with one name.
    @Override
    public int readAhead(WalkDirectory<UsageContent> directory, WalkWorker<UsageContent> worker, int count) {
        if (options.files() || !once.onlyNamesRepeat()) {
            return 0;
        }
        SeenStatuses statuses = worker.access().seen();
        int counted = 0;
        int number = 0;
        long size = 0;
        long blocks = 0;
        for (int i = 0; i < count; i++) {
            if (statuses.isFileWithOneName(i)) {
                counted |= 1 << i;
                number++;
                size = Amounts.sum(size, statuses.size(i));
                blocks = Amounts.sum(blocks, statuses.blocks(i));
            }
        }
        progress.filesDone(number, size);
        total.addFiles(number, size, blocks);
        directory.attachment().addFiles(this, number, size, blocks);
        return counted;
    }

    private void count(@Nullable WalkDirectory<UsageContent> parent, EntryKind kind, long size, long blocks) {
        progress.entryDone(kind, size);
        total.add(kind, size, blocks);
        if (parent != null) {
            parent.attachment().add(this, kind, size, blocks);
        }
    }

    private void count(@Nullable WalkDirectory<UsageContent> parent, FileStatus status) {
        count(parent, status.kind(), status.size(), status.blocks());
    }

    private boolean waited(WalkDirectory<?> directory) {
        return countsOpened && directory.parent() != null && !directory.isFollowed();
    }

    @Override
    public boolean readsAhead() {
        return true;
    }

    @Override
    public @Nullable UsageContent enter(WalkDirectory<UsageContent> directory, WalkWorker<UsageContent> worker) {
        unopenedRoot = null;
        WalkDirectory<UsageContent> parent = directory.parent();
        if (parent != null && waited(directory)) {
            FileStatus status = directory.status();
            if (!once.countsOpened(parent, status, worker.access())) {
                return null;
            }
            count(parent, status);
        }
        return new UsageContent(this);
    }

    @Override
    public void unopened(WalkDirectory<UsageContent> directory, WalkWorker<UsageContent> worker) {
        FileStatus status = status(directory, worker.access());
        if (status == null) {
            return;
        }
        WalkDirectory<UsageContent> parent = directory.parent();
        if (parent != null && waited(directory)) {
            // It may also be a root.
            if (!once.countsOpened(parent, status, worker.access())) {
                return;
            }
            count(parent, status);
        }
        report(directory, status, NONE);
    }

    // Null for an entry that cannot be examined: it is known that it could not be opened.
    private static @Nullable FileStatus status(WalkDirectory<?> directory, FileAccess access) {
        WalkDirectory<?> parent = Objects.requireNonNull(directory.parent());
        try {
            int descriptor = parent.handle().acquire(access);
            try {
                return access.status(descriptor, access.name(directory.path().nameBytes()), directory.isFollowed());
            } finally {
                parent.handle().release();
            }
        } catch (SystemCallException e) {
            return null;
        }
    }

    @Override
    public void leave(WalkDirectory<UsageContent> directory, WalkWorker<UsageContent> worker) {
        if (!directory.isAttached()) {
            return;
        }
        UsageContent content = directory.attachment();
        report(directory, directory.status(), content);
        WalkDirectory<UsageContent> parent = directory.parent();
        if (parent != null) {
            parent.attachment().addContentOf(this, content);
        }
    }

    private void report(WalkDirectory<?> directory, FileStatus status, UsageContent content) {
        if (directory.path().depth() <= options.maxDepth()) {
            report(directory.path(), status, content);
        }
    }

    private void report(TreePath path, FileStatus status, UsageContent content) {
        receiver.accept(
                new PathUsage(path.below(root), path.depth(), status.kind(), content.with(status, options.separate())));
    }

    @Override
    public void idle(WalkWorker<UsageContent> worker) {
        progress.publish();
    }

    @Override
    public void finished(WalkWorker<UsageContent> worker) {
        progress.publish();
    }

    @Override
    public void failed(EntryFailure failure) {
        failures.accept(failure);
        FileStatus status = unopenedRoot;
        if (status != null && failure.path().isRoot()) {
            unopenedRoot = null;
            report(TreePath.root(), status, NONE);
        }
    }
}
