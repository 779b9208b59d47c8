// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/**
 * Sums up the directories of one root on one thread: the space of an entry is added when it is found, and that of a
 * directory to its parent when everything below it is done.
 */
final class UsageHandler implements WalkHandler<UsageHandler.Content> {

    /** The content of a directory that is not done yet. Several threads may add to it. */
    static final class Content {
        private final UsageSums files = new UsageSums();
        private final UsageSums subdirectories = new UsageSums();

        // A subdirectory itself is added here, because one that cannot be opened counts as well.
        synchronized void add(FileStatus status) {
            (status.kind() == EntryKind.DIRECTORY ? subdirectories : files).add(status);
        }

        synchronized void addContentOf(Content subdirectory) {
            subdirectories.add(subdirectory.files);
            subdirectories.add(subdirectory.subdirectories);
        }

        synchronized Usage with(FileStatus itself, boolean separate) {
            UsageSums sum = new UsageSums();
            sum.add(itself);
            sum.add(files);
            if (!separate) {
                sum.add(subdirectories);
            }
            return sum.toUsage();
        }
    }

    private static final Content NONE = new Content();

    private final ByteString root;
    private final UsageOptions options;
    private final CountedOnce once;
    private final Consumer<FileStatus> counted;
    private final Consumer<EntryFailure> failures;
    private final Consumer<PathUsage> receiver;
    private final UsageSums total = new UsageSums();
    private @Nullable FileStatus unopenedRoot;

    /**
     * Creates the handler of a thread.
     *
     * @param root the root as the user gave it
     * @param counted called for each entry that counts
     * @param receiver receives the paths to report, a directory after everything below it
     */
    UsageHandler(ByteString root, UsageOptions options, CountedOnce once, Consumer<FileStatus> counted,
            Consumer<EntryFailure> failures, Consumer<PathUsage> receiver) {
        this.root = root;
        this.options = options;
        this.once = once;
        this.counted = counted;
        this.failures = failures;
        this.receiver = receiver;
    }

    /** Returns the sums of all entries that this thread has counted. */
    UsageSums total() {
        return total;
    }

    @Override
    public Step entry(FoundEntry<Content> found) throws SystemCallException {
        FileStatus status = found.status();
        if (!once.counts(found)) {
            return Step.SKIP;
        }
        counted.accept(status);
        total.add(status);
        WalkDirectory<Content> parent = found.parent();
        boolean isDirectory = status.kind() == EntryKind.DIRECTORY;
        if (parent != null) {
            parent.attachment().add(status);
        } else if (isDirectory) {
            unopenedRoot = status;
        }
        if (!isDirectory && (parent == null || options.files())) {
            report(parent == null ? 0 : parent.path().depth() + 1, found::path, status, NONE);
        }
        return Step.CONTINUE;
    }

    @Override
    public Content enter(WalkDirectory<Content> directory, WalkWorker<Content> worker) {
        unopenedRoot = null;
        return new Content();
    }

    @Override
    public void unopened(WalkDirectory<Content> directory, WalkWorker<Content> worker) throws SystemCallException {
        if (directory.path().depth() <= options.maxDepth()) {
            report(directory.path().depth(), directory::path, status(directory, worker.access()), NONE);
        }
    }

    private static FileStatus status(WalkDirectory<?> directory, FileAccess access) throws SystemCallException {
        WalkDirectory<?> parent = Objects.requireNonNull(directory.parent());
        int descriptor = parent.handle().acquire(access);
        try {
            return access.status(descriptor, access.name(directory.path().nameBytes()), directory.isFollowed());
        } finally {
            parent.handle().release();
        }
    }

    @Override
    public void leave(WalkDirectory<Content> directory, WalkWorker<Content> worker) {
        Content content = directory.attachment();
        report(directory.path().depth(), directory::path, directory.status(), content);
        WalkDirectory<Content> parent = directory.parent();
        if (parent != null) {
            parent.attachment().addContentOf(content);
        }
    }

    private interface PathSource {
        TreePath get();
    }

    private void report(int depth, PathSource path, FileStatus status, Content content) {
        if (depth <= options.maxDepth()) {
            receiver.accept(new PathUsage(path.get().below(root), depth, status.kind(),
                    content.with(status, options.separate())));
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        failures.accept(failure);
        FileStatus status = unopenedRoot;
        if (status != null && failure.path().isRoot()) {
            unopenedRoot = null;
            report(0, TreePath::root, status, NONE);
        }
    }
}
