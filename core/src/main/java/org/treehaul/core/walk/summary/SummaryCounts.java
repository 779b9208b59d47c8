// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;

/** The numbers of a {@link TreeSummary}, for one thread or for all. */
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

    // Files with several names, once each; null where they need not be identified later.
    private @Nullable List<Linked> linked;

    /** A file that was counted with its first name. */
    private record Linked(long device, long inode, int kind, long size, long blocks) {}

    /** Keeps the files with several names, so that those that other parts counted as well can be identified later. */
    void keepLinked() {
        linked = new ArrayList<>();
    }

    void count(FileStatus status, InodeSet known) {
        EntryKind kind = status.kind();
        kinds[index(kind)]++;
        boolean isFirst = true;
        if (status.linkCount() > 1 && kind != EntryKind.DIRECTORY) {
            linkedNames++;
            isFirst = known.add(status.device(), status.inode());
            linkedFiles += isFirst ? 1 : 0;
            if (isFirst && linked != null) {
                linked.add(new Linked(status.device(), status.inode(), index(kind), status.size(), status.blocks()));
            }
        }
        allocatedBlocks = Amounts.sum(allocatedBlocks, isFirst ? status.blocks() : 0);
        boolean hasSize = kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK;
        apparentBytes = Amounts.sum(apparentBytes, isFirst && hasSize ? status.size() : 0);
        if (kind == EntryKind.REGULAR) {
            addToClass(status.size(), isFirst ? status.size() : 0);
        }
    }

    /** Counts a regular file with one name. */
    void countFile(long size, long blocks) {
        kinds[index(EntryKind.REGULAR)]++;
        allocatedBlocks = Amounts.sum(allocatedBlocks, blocks);
        apparentBytes = Amounts.sum(apparentBytes, size);
        addToClass(size, size);
    }

    private void addToClass(long size, long bytes) {
        int sizeClass = sizeClass(size);
        sizeFiles[sizeClass]++;
        sizeBytes[sizeClass] = Amounts.sum(sizeBytes[sizeClass], bytes);
    }

    private static int sizeClass(long size) {
        int sizeClass = 0;
        while (sizeClass < BOUNDS.length && size >= BOUNDS[sizeClass]) {
            sizeClass++;
        }
        return sizeClass;
    }

    // The type bits of a mode are its highest four.
    private static int index(EntryKind kind) {
        return kind.typeBits() >>> 12;
    }

    long count(EntryKind kind) {
        return kinds[index(kind)];
    }

    boolean isLargest(FileStatus status) {
        return status.kind() == EntryKind.REGULAR && isLargest(status.size());
    }

    /** Returns whether a regular file of this size is larger than all that were counted before. */
    boolean isLargest(long size) {
        return largest == null || size > largest.value();
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
            sizeBytes[i] = Amounts.sum(sizeBytes[i], other.sizeBytes[i]);
        }
        linkedNames += other.linkedNames;
        linkedFiles += other.linkedFiles;
        apparentBytes = Amounts.sum(apparentBytes, other.apparentBytes);
        allocatedBlocks = Amounts.sum(allocatedBlocks, other.allocatedBlocks);
        largest = greater(largest, other.largest);
        deepest = greater(deepest, other.deepest);
        if (linked != null && other.linked != null) {
            linked.addAll(other.linked);
        }
    }

    /** Subtracts the data of files that other parts have counted already under another name. */
    void countOnce(InodeSet known) {
        for (Linked file : linked == null ? List.<Linked>of() : linked) {
            if (!known.add(file.device(), file.inode())) {
                linkedFiles--;
                allocatedBlocks -= file.blocks();
                boolean isRegular = file.kind() == index(EntryKind.REGULAR);
                apparentBytes -= isRegular || file.kind() == index(EntryKind.SYMLINK) ? file.size() : 0;
                sizeBytes[sizeClass(file.size())] -= isRegular ? file.size() : 0;
            }
        }
    }

    void write(DataOutputStream out) throws IOException {
        for (long[] numbers : List.of(kinds, sizeFiles, sizeBytes,
                new long[]{linkedNames, linkedFiles, apparentBytes, allocatedBlocks})) {
            for (long number : numbers) {
                out.writeLong(number);
            }
        }
        write(out, largest);
        write(out, deepest);
        List<Linked> files = linked == null ? List.of() : linked;
        out.writeInt(files.size());
        for (Linked file : files) {
            out.writeLong(file.device());
            out.writeLong(file.inode());
            out.writeByte(file.kind());
            out.writeLong(file.size());
            out.writeLong(file.blocks());
        }
    }

    static SummaryCounts read(DataInputStream in) throws IOException {
        SummaryCounts counts = new SummaryCounts();
        for (long[] numbers : List.of(counts.kinds, counts.sizeFiles, counts.sizeBytes)) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readLong();
            }
        }
        counts.linkedNames = in.readLong();
        counts.linkedFiles = in.readLong();
        counts.apparentBytes = in.readLong();
        counts.allocatedBlocks = in.readLong();
        counts.largest = readExtreme(in);
        counts.deepest = readExtreme(in);
        List<Linked> files = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            files.add(new Linked(in.readLong(), in.readLong(), in.readUnsignedByte(), in.readLong(), in.readLong()));
        }
        counts.linked = files;
        return counts;
    }

    private static void write(DataOutputStream out, TreeSummary.@Nullable Extreme extreme) throws IOException {
        byte[] path = extreme == null ? new byte[0] : extreme.path().toBytes();
        out.writeInt(extreme == null ? -1 : path.length);
        out.write(path);
        out.writeLong(extreme == null ? 0 : extreme.value());
    }

    private static TreeSummary.@Nullable Extreme readExtreme(DataInputStream in) throws IOException {
        int length = in.readInt();
        byte[] path = in.readNBytes(Math.max(0, length));
        long value = in.readLong();
        return length < 0 ? null : new TreeSummary.Extreme(ByteString.of(path), value);
    }

    // Among equal values, chooses the path that is first in byte order, so that as little as possible depends on the
    // order of events.
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
