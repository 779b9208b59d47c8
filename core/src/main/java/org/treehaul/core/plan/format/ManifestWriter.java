// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.EntryKind;

/** Writes the manifest of a batch and adds up its entries. */
public final class ManifestWriter implements Closeable {

    private final int batch;
    private final BinaryWriter out;

    private int root = -1;
    // The path of the directory is the beginning of this.
    private byte[] directory = {};
    private int directoryLength;
    private long device;

    private long entries;
    private long files;
    private long bytes;
    private long data;
    private long largest;
    private long lastGroup;

    /** Writes the beginning of the manifest of a batch. */
    public ManifestWriter(OutputStream out, int bufferBytes, int batch) throws IOException {
        this.batch = batch;
        this.out = new BinaryWriter(out, bufferBytes, PlanFiles.MANIFEST);
        this.out.u32(batch);
    }

    /**
     * Adds an entry.
     *
     * @param path the path below the root
     * @param nameStart the offset of the last name in the path
     * @param toRead bytes of data to read for the entry
     */
    public void add(int entryRoot, byte[] path, int nameStart, SpooledStatus status, long toRead, long group,
            @Nullable ChunkRange chunk) throws IOException {
        enter(entryRoot, path, nameStart, status.device());
        int nameLength = path.length - nameStart;
        long own = ManifestEntry.bytes(status.kind(), status.size(), chunk);
        out.u8(PlanFiles.RECORD);
        out.u8(PlanFiles.letter(status.kind()));
        out.u8((group != 0 ? PlanFiles.HAS_GROUP : 0) | (chunk != null ? PlanFiles.HAS_CHUNK : 0)
                | (toRead != own ? PlanFiles.HAS_DATA : 0) | (status.hasChangeTime() ? PlanFiles.HAS_CHANGE_TIME : 0));
        out.u16(nameLength);
        out.u64(status.size());
        out.u64(status.mtimeSeconds());
        out.u32(status.mtimeNanos());
        out.u64(status.inode());
        out.bytes(path, nameStart, nameLength);
        if (group != 0) {
            out.u64(group);
        }
        if (chunk != null) {
            out.u32(chunk.number());
            out.u32(chunk.count());
            out.u64(chunk.from());
            out.u64(chunk.to());
        }
        if (toRead != own) {
            out.u64(toRead);
        }
        if (status.hasChangeTime()) {
            out.u64(status.ctimeSeconds());
            out.u32(status.ctimeNanos());
        }
        count(status.kind(), own, toRead, group, chunk);
    }

    /**
     * Adds a regular file that has one name and is not divided, as {@link #add} does.
     *
     * @param itsDirectory the path of the directory below the root with a slash after it, or nothing for the root
     *        itself; does not change
     * @param bytes have its name, from an offset to another, and its status, as {@link SpooledStatus#put} writes it,
     *        from a third to a fourth
     * @param toRead bytes of data to read for it
     */
    public void addFile(int entryRoot, byte[] itsDirectory, byte[] bytes, int nameFrom, int nameTo, int status,
            int statusEnd, long toRead) throws IOException {
        enter(entryRoot, itsDirectory, itsDirectory.length, SpooledStatus.device(bytes, status));
        long size = SpooledStatus.size(bytes, status);
        boolean hasChangeTime = SpooledStatus.hasChangeTime(status, statusEnd);
        out.u8(PlanFiles.RECORD);
        out.u8(PlanFiles.letter(EntryKind.REGULAR));
        out.u8((toRead != size ? PlanFiles.HAS_DATA : 0) | (hasChangeTime ? PlanFiles.HAS_CHANGE_TIME : 0));
        out.u16(nameTo - nameFrom);
        out.bytes(bytes, status + SpooledStatus.SIZE, SpooledStatus.CTIME - SpooledStatus.SIZE);
        out.bytes(bytes, nameFrom, nameTo - nameFrom);
        if (toRead != size) {
            out.u64(toRead);
        }
        if (hasChangeTime) {
            out.bytes(bytes, status + SpooledStatus.CTIME, SpooledStatus.END - SpooledStatus.CTIME);
        }
        count(EntryKind.REGULAR, size, toRead, 0, null);
    }

    // Mostly the directory of the entry before, and often the same array.
    @SuppressWarnings("ReferenceEquality") // an array equals itself
    private void enter(int itsRoot, byte[] path, int nameStart, long itsDevice) throws IOException {
        int length = Math.max(0, nameStart - 1);
        boolean isSame = itsRoot == root && itsDevice == device && length == directoryLength
                && (path == directory || Arrays.equals(path, 0, length, directory, 0, length));
        directory = path;
        if (isSame) {
            return;
        }
        directoryLength = length;
        root = itsRoot;
        device = itsDevice;
        out.u8(PlanFiles.DIRECTORY);
        out.u32(root);
        out.u64(device);
        out.u32(length);
        out.bytes(path, 0, length);
    }

    private void count(EntryKind kind, long own, long toRead, long group, @Nullable ChunkRange chunk) {
        entries++;
        if (kind != EntryKind.REGULAR) {
            return;
        }
        files += chunk == null || chunk.number() == 0 ? 1 : 0;
        // A further name of a file has no bytes of its own; a further chunk has.
        if (chunk != null || group == 0 || group != lastGroup) {
            bytes = Amounts.sum(bytes, own);
            data = Amounts.sum(data, toRead);
            largest = Math.max(largest, own);
        }
        lastGroup = group;
    }

    /** Writes the totals at the end, and returns them. */
    public PlannedBatch end() throws IOException {
        out.u8(PlanFiles.END);
        out.u64(entries);
        out.u64(files);
        out.u64(bytes);
        return new PlannedBatch(batch, entries, files, bytes, data, largest, out.end());
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
