// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;

/**
 * The hashes of the files of a tree, sorted by path in bounded memory. In this order, everything below a directory
 * follows it immediately.
 */
final class TreeHashes implements AutoCloseable {

    /** The content of the record of an entry that could not be read; the record also represents everything below it. */
    static final byte[] UNREADABLE = {};
    /** Content of the record of an entry that is no regular file; directories have one only for a comparison. */
    static final byte[] OTHER = {0};

    /** Content of a further record of a directory on another file system, whose content the walk leaves out. */
    static final byte[] ELSEWHERE = {0, 0};

    private final ManifestHash kind;
    private final Optional<FileStatus> except;
    private final ExternalSort sorted;
    private final LinkedHashes links = new LinkedHashes();
    private final LongAdder files = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final boolean hasDirectories;
    private final boolean isOfOneFileSystem;
    // Written before anything below the root is entered.
    private volatile long rootDevice;
    private boolean isComplete;

    /**
     * Creates an instance without hashes.
     *
     * @param except the file that is left out
     * @param hasDirectories whether directories are recorded too, because one may be in the place of a file
     * @param isOfOneFileSystem whether the walk leaves out the content of directories on other file systems
     * @param scratch the directory for temporary files
     */
    TreeHashes(ManifestHash kind, Optional<FileStatus> except, boolean hasDirectories, boolean isOfOneFileSystem,
            Path scratch) {
        this.hasDirectories = hasDirectories;
        this.isOfOneFileSystem = isOfOneFileSystem;
        this.kind = kind;
        this.except = except;
        this.sorted = new ExternalSort(scratch, "tree", false, ExternalSort.defaultRunBytes());
    }

    /** Hashes the files of a tree. Returns when all are done, or soon after the cancellation. */
    void collect(Walker walking, Root root, EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        try {
            isComplete = walking
                    .<Boolean, HashHandler>walkWith(List.of(root), worker -> new HashHandler(this, failure -> {
                        progress.entryFailed();
                        failed(failure);
                        listener.onEvent(new Event.Failed(failure));
                    }, root, progress, cancellation), cancellation, progress)
                    .isComplete() && !cancellation.isCancelled();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    ManifestHash kind() {
        return kind;
    }

    /** Returns the hashes of files with several names. */
    LinkedHashes links() {
        return links;
    }

    /** Records a directory, if directories are recorded. */
    void addDirectory(FoundEntry<?> found) {
        if (hasDirectories) {
            add(found.path(), OTHER);
        }
    }

    /** Records that the content of a directory is left out, if it is and directories are recorded. */
    void enter(WalkDirectory<?> directory) {
        if (!hasDirectories || !isOfOneFileSystem) {
            return;
        }
        long device = directory.status().device();
        if (directory.parent() == null) {
            rootDevice = device;
        } else if (device != rootDevice) {
            add(directory.path(), ELSEWHERE);
        }
    }

    boolean isExcepted(FileStatus status) {
        return except.isPresent() && except.get().isSameFile(status);
    }

    void add(TreePath path, byte[] content) {
        try {
            sorted.add(key(path), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Records the hash of a file.
     *
     * @param size the number of bytes that were read for it
     */
    void hashed(TreePath path, byte[] hash, long size) {
        add(path, hash);
        files.increment();
        bytes.add(size);
    }

    private void failed(EntryFailure failure) {
        add(failure.path(), UNREADABLE);
        synchronized (failures) {
            failures.merge(failure.kind(), 1L, Long::sum);
        }
    }

    ExternalSort.Records open() throws IOException {
        return sorted.open();
    }

    boolean isComplete() {
        return isComplete;
    }

    /** Returns the result, with the given differences. */
    ManifestResult result(Map<ManifestDifference.Kind, Long> differences, long unchecked, long malformed) {
        synchronized (failures) {
            return new ManifestResult(files.sum(), bytes.sum(), differences, unchecked, malformed, failures,
                    isComplete);
        }
    }

    /** Returns the key of a path: no name contains a NUL, and a slash sorts before each byte of a name. */
    static byte[] key(TreePath path) {
        byte[] key = path.toBytes();
        for (int i = 0; i < key.length; i++) {
            key[i] = key[i] == '/' ? 0 : key[i];
        }
        return key;
    }

    /** Returns the path of a key. */
    static TreePath path(byte[] key) {
        byte[] path = key.clone();
        for (int i = 0; i < path.length; i++) {
            path[i] = path[i] == 0 ? (byte) '/' : path[i];
        }
        return TreePath.of(path);
    }

    /** Returns whether a key is that of a path itself or of one below it. */
    static boolean isWithin(byte[] key, byte[] path) {
        return path.length == 0 || key.length >= path.length && Arrays.equals(key, 0, path.length, path, 0, path.length)
                && (key.length == path.length || key[path.length] == 0);
    }

    @Override
    public void close() throws IOException {
        sorted.close();
    }
}
