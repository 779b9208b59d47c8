// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Writes the checksums of the files of a tree, and compares a tree with such a manifest. Files are read by many threads
 * and, as far as the system allows it, from the disk instead of the memory. Lines are sorted on disk, so memory does
 * not grow with the tree. The data of a file with several names are read once, for up to 200,000 such files at a time.
 * Symbolic links below the root are not followed and, like all entries other than regular files and directories, have
 * no line. Immutable.
 */
public final class TreeManifest {

    /** The lines of a manifest. */
    @FunctionalInterface
    public interface Lines {

        /** Writes all lines; does not close the stream. */
        void writeTo(OutputStream out) throws IOException;
    }

    /** The place of a manifest. */
    @FunctionalInterface
    public interface Target {

        /** Writes the lines to their place. */
        void put(Lines lines) throws IOException;
    }

    private final FileSystemCalls calls;
    private final WalkOptions walk;
    private final Path scratch;
    private final Optional<FileStatus> except;

    private TreeManifest(FileSystemCalls calls, WalkOptions walk, Path scratch, Optional<FileStatus> except) {
        this.calls = calls;
        this.walk = walk;
        this.scratch = scratch;
        this.except = except;
    }

    /**
     * Returns an instance.
     *
     * @param walk the filter, the number of threads, and whether a symbolic link that is the root itself is followed
     * @param scratch an existing directory for temporary files, about 150 bytes for each file of the tree and, for a
     *        check, for each directory; used by one call at a time
     * @throws IllegalArgumentException if all symbolic links are to be followed
     */
    public static TreeManifest of(FileSystemCalls calls, WalkOptions walk, Path scratch) {
        if (walk.symlinks() == Symlinks.ALWAYS) {
            throw new IllegalArgumentException("a manifest follows no symbolic links");
        }
        return new TreeManifest(calls, walk, scratch, Optional.empty());
    }

    /** Returns a copy that leaves out a file, such as the manifest itself. */
    public TreeManifest except(FileStatus file) {
        return new TreeManifest(calls, walk, scratch, Optional.of(file));
    }

    /**
     * Hashes the files of a tree and writes their lines in the order of their paths: equal trees give equal manifests.
     * Nothing is written before all files are hashed, and nothing at all if the work is cancelled or nothing could be
     * read. An entry that cannot be read is reported and has no line.
     *
     * @param target receives the lines when all files are hashed, on the calling thread
     * @param listener receives failures, on any thread
     * @throws IOException if a temporary file or the manifest cannot be written
     */
    public ManifestResult write(Root tree, ManifestHash hash, Target target, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        try (TreeHashes hashes = new TreeHashes(hash, except, false, walk.oneFileSystem(), scratch)) {
            hashes.collect(TreeWalker.of(calls, walk), tree, listener, progress, cancellation);
            ManifestResult result = hashes.result(Map.of(), 0, 0);
            if (result.isComplete() && (result.files() > 0 || result.failures().isEmpty())) {
                target.put(out -> write(hashes, out));
            }
            return result;
        }
    }

    private static void write(TreeHashes hashes, OutputStream out) throws IOException {
        try (ExternalSort.Records records = hashes.open()) {
            while (records.advance()) {
                if (records.content().length == hashes.kind().bytes()) {
                    out.write(new ManifestLine(ByteString.of(records.content()), TreeHashes.path(records.key()))
                            .toBytes());
                }
            }
        }
    }

    /**
     * Hashes the files of a tree and compares them with a manifest. Differences are reported in the order of the paths,
     * after all files are hashed. A file below a directory that could not be listed counts as unchecked, never as
     * missing.
     *
     * @param manifest the manifest; its lines are those that {@link #write}, {@code sha256sum} or {@code xxhsum -H128}
     *        write. Not closed
     * @param name the name of the manifest in messages
     * @param tree the tree; if it is a selection of paths, other lines of the manifest are left out
     * @param differences receives each difference, on the calling thread
     * @param listener receives failures, and notices of lines that cannot be used, on any thread
     * @throws IOException if the manifest cannot be read, or a temporary file cannot be written
     * @throws IllegalArgumentException if the manifest has no line with a checksum, or the tree is a selection of
     *         entries
     */
    public ManifestResult check(InputStream manifest, String name, Root tree, Consumer<ManifestDifference> differences,
            EventListener listener, Progress progress, Cancellation cancellation) throws IOException {
        try (SortedManifest lines = new SortedManifest(scratch)) {
            lines.read(manifest, name, path -> isWanted(tree, path), listener);
            ManifestHash hash = lines.kind()
                    .orElseThrow(() -> new IllegalArgumentException(name + " has no line with a checksum and a path"));
            try (TreeHashes hashes = new TreeHashes(hash, except, true, walk.oneFileSystem(), scratch)) {
                hashes.collect(TreeWalker.of(calls, walk), tree, listener, progress, cancellation);
                ManifestComparison comparison = new ManifestComparison(differences);
                if (hashes.isComplete()) {
                    try (ExternalSort.Records listed = lines.open(); ExternalSort.Records found = hashes.open()) {
                        comparison.compare(listed, found);
                    }
                }
                return hashes.result(comparison.differences(), comparison.unchecked(), lines.malformed());
            }
        }
    }

    private boolean isWanted(Root tree, TreePath path) {
        boolean isSelected = switch (tree.selection().orElse(null)) {
            case null -> true;
            case SelectedPaths paths -> paths.covers(path);
            case SelectedEntries entries ->
                throw new IllegalArgumentException("not a selection of whole paths: " + tree.path());
        };
        if (!isSelected) {
            return false;
        }
        EntryFilter filter = walk.filter();
        for (TreePath above = path.parent(); !above.isRoot(); above = above.parent()) {
            if (filter.excludes(above, true)) {
                return false;
            }
        }
        return !filter.excludes(path, false);
    }
}
