// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/** The numbers of a {@link TreeSummary}, of one thread or of all. */
final class SummaryCounts {

    private static final long[] BOUNDS = TreeSummary.SIZE_BOUNDS.stream().mapToLong(Long::longValue).toArray();

    private final long[] kinds = new long[16];
    private final long[] sizeFiles = new long[BOUNDS.length + 1];
    private final long[] sizeBytes = new long[BOUNDS.length + 1];
    long linkedNames;
    long linkedFiles;
    long apparentBytes;
    long allocatedBlocks;
    TreeSummary.@Nullable Extreme largest;
    TreeSummary.@Nullable Extreme deepest;

    void count(FileStatus status, InodeSet linked) {
        EntryKind kind = status.kind();
        kinds[index(kind)]++;
        boolean isFirst = true;
        if (status.linkCount() > 1 && kind != EntryKind.DIRECTORY) {
            linkedNames++;
            isFirst = linked.add(status.device(), status.inode());
            linkedFiles += isFirst ? 1 : 0;
        }
        allocatedBlocks += isFirst ? status.blocks() : 0;
        boolean hasSize = kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK;
        apparentBytes += isFirst && hasSize ? status.size() : 0;
        if (kind == EntryKind.REGULAR) {
            int sizeClass = 0;
            while (sizeClass < BOUNDS.length && status.size() >= BOUNDS[sizeClass]) {
                sizeClass++;
            }
            sizeFiles[sizeClass]++;
            sizeBytes[sizeClass] += isFirst ? status.size() : 0;
        }
    }

    // The type bits of a mode are its highest four.
    private static int index(EntryKind kind) {
        return kind.typeBits() >>> 12;
    }

    long count(EntryKind kind) {
        return kinds[index(kind)];
    }

    boolean isLargest(FileStatus status) {
        return status.kind() == EntryKind.REGULAR && (largest == null || status.size() > largest.value());
    }

    boolean isDeepest(int depth) {
        return deepest == null || depth > deepest.value();
    }

    void add(SummaryCounts other) {
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] += other.kinds[i];
        }
        for (int i = 0; i < sizeFiles.length; i++) {
            sizeFiles[i] += other.sizeFiles[i];
            sizeBytes[i] += other.sizeBytes[i];
        }
        linkedNames += other.linkedNames;
        linkedFiles += other.linkedFiles;
        apparentBytes += other.apparentBytes;
        allocatedBlocks += other.allocatedBlocks;
        largest = greater(largest, other.largest);
        deepest = greater(deepest, other.deepest);
    }

    // Among equals the first path in the order of bytes, so that as little as possible depends on who came first.
    private static TreeSummary.@Nullable Extreme greater(TreeSummary.@Nullable Extreme a,
            TreeSummary.@Nullable Extreme b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        boolean first = a.value() != b.value() ? a.value() > b.value() : a.path().compareTo(b.path()) <= 0;
        return first ? a : b;
    }

    List<TreeSummary.SizeClass> sizes() {
        List<TreeSummary.SizeClass> sizes = new ArrayList<>();
        for (int i = 0; i < sizeFiles.length; i++) {
            long from = i == 0 ? 0 : BOUNDS[i - 1];
            long to = i == BOUNDS.length ? Long.MAX_VALUE : BOUNDS[i];
            sizes.add(new TreeSummary.SizeClass(from, to, sizeFiles[i], sizeBytes[i]));
        }
        return List.copyOf(sizes);
    }
}
