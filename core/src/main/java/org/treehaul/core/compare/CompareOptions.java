// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The options of a comparison. Immutable; each {@code with} method returns a changed copy.
 *
 * @param compared the kinds of difference to look for; always includes the kind of the entries
 * @param modifyWindow times that differ by at most this are equal: one second suits file systems that store whole
 *        seconds, two suit FAT
 * @param trusted whether attributes {@code trusted.*} are compared, which only a privileged process sees
 * @param followRoots whether the target of a root that is a symbolic link is compared; links below are never followed
 * @param oneFileSystem whether the content of a directory is left out if it is on another file system than its root on
 *        either side
 * @param filter decides which entries are skipped, on both sides
 * @param threads number of threads, 1 to {@link WalkOptions#MAX_THREADS}; 0 lets the walk choose
 * @param chunkBytes larger files are compared by several threads, at most this many bytes at a time
 * @param directoryBudget descriptors to keep open for the directories of each side where possible, 1 or more
 * @param where conditions: an entry is compared if it meets them in either tree. Each entry is compared for itself,
 *        also below a directory that only one tree has
 */
public record CompareOptions(Set<DifferenceKind> compared, Duration modifyWindow, boolean trusted, boolean followRoots,
        boolean oneFileSystem, EntryFilter filter, int threads, long chunkBytes, int directoryBudget, FileQuery where) {

    /** The bytes of a large file that a thread compares at a time: some tenths of a second of disk time. */
    public static final long DEFAULT_CHUNK_BYTES = 64L << 20;

    private static final Set<DifferenceKind> ON_REQUEST = EnumSet.of(DifferenceKind.ATIME, DifferenceKind.CTIME,
            DifferenceKind.BTIME, DifferenceKind.CONTENT);

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public CompareOptions {
        Set<DifferenceKind> copy = EnumSet.noneOf(DifferenceKind.class);
        copy.addAll(compared);
        copy.add(DifferenceKind.KIND);
        compared = Collections.unmodifiableSet(copy);
        if (modifyWindow.isNegative()) {
            throw new IllegalArgumentException("negative modify window: " + modifyWindow);
        }
        WalkOptions.checkThreads(threads);
        if (chunkBytes < 1) {
            throw new IllegalArgumentException("chunk size below 1: " + chunkBytes);
        }
        if (directoryBudget < 1) {
            throw new IllegalArgumentException("directory budget below 1: " + directoryBudget);
        }
    }

    /** Returns the default options: everything except content, atime, ctime and btime; exact times; no filter. */
    public static CompareOptions defaults() {
        return new CompareOptions(EnumSet.complementOf(EnumSet.copyOf(ON_REQUEST)), Duration.ZERO, false, false, false,
                EntryFilter.none(), 0, DEFAULT_CHUNK_BYTES, WalkOptions.defaults().directoryBudget(), FileQuery.all());
    }

    /** Returns whether this kind of difference is looked for. */
    public boolean compares(DifferenceKind kind) {
        return compared.contains(kind);
    }

    /** Returns a copy that also looks for these kinds of difference, for example a time or the content. */
    public CompareOptions comparing(Set<DifferenceKind> kinds) {
        Set<DifferenceKind> more = EnumSet.copyOf(compared);
        more.addAll(kinds);
        return withCompared(more);
    }

    /** Returns a copy that compares, or does not compare, the data of regular files. */
    public CompareOptions withContent(boolean compare) {
        Set<DifferenceKind> content = EnumSet.of(DifferenceKind.CONTENT);
        return compare ? comparing(content) : ignoring(content);
    }

    /** Returns a copy that ignores these kinds of difference. {@link DifferenceKind#KIND} cannot be ignored. */
    public CompareOptions ignoring(Set<DifferenceKind> kinds) {
        Set<DifferenceKind> fewer = EnumSet.copyOf(compared);
        fewer.removeAll(kinds);
        return withCompared(fewer);
    }

    private CompareOptions withCompared(Set<DifferenceKind> kinds) {
        return new CompareOptions(kinds, modifyWindow, trusted, followRoots, oneFileSystem, filter, threads, chunkBytes,
                directoryBudget, where);
    }

    /** Returns a copy with another tolerance of times. */
    public CompareOptions withModifyWindow(Duration window) {
        return new CompareOptions(compared, window, trusted, followRoots, oneFileSystem, filter, threads, chunkBytes,
                directoryBudget, where);
    }

    /** Returns a copy that compares, or does not compare, attributes {@code trusted.*}. */
    public CompareOptions withTrusted(boolean compare) {
        return new CompareOptions(compared, modifyWindow, compare, followRoots, oneFileSystem, filter, threads,
                chunkBytes, directoryBudget, where);
    }

    /** Returns a copy that follows, or does not follow, roots that are symbolic links. */
    public CompareOptions withFollowRoots(boolean follow) {
        return new CompareOptions(compared, modifyWindow, trusted, follow, oneFileSystem, filter, threads, chunkBytes,
                directoryBudget, where);
    }

    /** Returns a copy that stays, or does not stay, on the file systems of the roots. */
    public CompareOptions withOneFileSystem(boolean stay) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, stay, filter, threads, chunkBytes,
                directoryBudget, where);
    }

    /** Returns a copy with another filter. */
    public CompareOptions withFilter(EntryFilter other) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, oneFileSystem, other, threads,
                chunkBytes, directoryBudget, where);
    }

    /** Returns a copy with another number of threads, 0 for the walk's own choice. */
    public CompareOptions withThreads(int number) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, oneFileSystem, filter, number,
                chunkBytes, directoryBudget, where);
    }

    /** Returns a copy with another size of the chunks of large files. */
    public CompareOptions withChunkBytes(long bytes) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, oneFileSystem, filter, threads, bytes,
                directoryBudget, where);
    }

    /** Returns a copy with another budget of directory descriptors. */
    public CompareOptions withDirectoryBudget(int budget) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, oneFileSystem, filter, threads,
                chunkBytes, budget, where);
    }

    /** Returns a copy with other conditions that one of the two entries of a pair must meet. */
    public CompareOptions withWhere(FileQuery conditions) {
        return new CompareOptions(compared, modifyWindow, trusted, followRoots, oneFileSystem, filter, threads,
                chunkBytes, directoryBudget, conditions);
    }
}
