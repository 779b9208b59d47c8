// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;

/** Writes the manifest of one batch, and counts what goes into it. */
final class ManifestWriter implements Closeable {

    private final int batch;
    private final BinaryWriter out;

    private int root = -1;
    private byte[] directory = {};
    private long device;

    private long entries;
    private long files;
    private long bytes;
    private long largest;
    private long lastGroup;

    ManifestWriter(OutputStream out, int bufferBytes, int batch) throws IOException {
        this.batch = batch;
        this.out = new BinaryWriter(out, bufferBytes, PlanFiles.MANIFEST);
        this.out.u32(batch);
    }

    /**
     * Adds an entry.
     *
     * @param path the path below the root
     * @param nameStart where the last name begins in it
     */
    void add(int entryRoot, byte[] path, int nameStart, SpooledStatus status, long group, @Nullable ChunkRange chunk)
            throws IOException {
        int directoryLength = Math.max(0, nameStart - 1);
        if (entryRoot != root || status.device() != device
                || !Arrays.equals(path, 0, directoryLength, directory, 0, directory.length)) {
            root = entryRoot;
            device = status.device();
            directory = Arrays.copyOf(path, directoryLength);
            out.u8(PlanFiles.DIRECTORY);
            out.u32(root);
            out.u64(device);
            out.u32(directoryLength);
            out.bytes(directory);
        }
        int nameLength = path.length - nameStart;
        out.u8(PlanFiles.RECORD);
        out.u8(PlanFiles.letter(status.kind()));
        out.u8((group != 0 ? PlanFiles.HAS_GROUP : 0) | (chunk != null ? PlanFiles.HAS_CHUNK : 0));
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
        count(status, group, chunk);
    }

    private void count(SpooledStatus status, long group, @Nullable ChunkRange chunk) {
        entries++;
        if (status.kind() != EntryKind.REGULAR) {
            return;
        }
        files += chunk == null || chunk.number() == 0 ? 1 : 0;
        // A further name of a file has no bytes of its own, a further chunk has.
        if (chunk != null || group == 0 || group != lastGroup) {
            long own = chunk == null ? status.size() : chunk.bytes();
            bytes += own;
            largest = Math.max(largest, own);
        }
        lastGroup = group;
    }

    PlannedBatch end() throws IOException {
        out.u8(PlanFiles.END);
        out.u64(entries);
        out.u64(files);
        out.u64(bytes);
        return new PlannedBatch(batch, entries, files, bytes, largest, out.end());
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
