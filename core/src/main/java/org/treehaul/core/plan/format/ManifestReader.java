// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/** Reads the manifest of a batch. */
final class ManifestReader implements PlanRecords<ManifestEntry> {

    private final BinaryReader in;
    private int root = -1;
    private long device;
    private TreePath directory = TreePath.root();
    private int index;
    private boolean ended;

    private ManifestReader(BinaryReader in) {
        this.in = in;
    }

    static ManifestReader open(Path file, int batch, OptionalInt checksum) throws PlanException {
        BinaryReader in = BinaryReader.open(file, PlanFiles.MANIFEST, checksum);
        try {
            if (in.u32() != batch) {
                throw PlanException.damaged(file, "it is the manifest of another batch");
            }
            return new ManifestReader(in);
        } catch (IOException e) {
            in.close();
            throw PlanException.unreadable(file, e);
        }
    }

    @Override
    public @Nullable ManifestEntry next() throws PlanException {
        try {
            while (!ended) {
                switch (in.u8()) {
                    case PlanFiles.DIRECTORY -> {
                        root = in.u32();
                        device = in.u64();
                        directory = TreePath.of(in.bytes(in.u32()));
                    }
                    case PlanFiles.RECORD -> {
                        return entry();
                    }
                    case PlanFiles.END -> {
                        ended = true;
                        if (in.u64() != index) {
                            throw PlanException.damaged(in.file(), "its number of entries is wrong");
                        }
                    }
                    default -> throw PlanException.damaged(in.file(), "a record of unknown kind");
                }
            }
            return null;
        } catch (IOException e) {
            throw PlanException.unreadable(in.file(), e);
        } catch (IllegalArgumentException e) {
            throw PlanException.damaged(in.file(), String.valueOf(e.getMessage()));
        }
    }

    private ManifestEntry entry() throws IOException {
        EntryKind kind = PlanFiles.kind(in.u8())
                .orElseThrow(() -> PlanException.damaged(in.file(), "an entry of unknown kind"));
        int flags = in.u8();
        int nameLength = in.u16();
        long size = in.u64();
        Timestamp mtime = new Timestamp(in.u64(), in.u32());
        long inode = in.u64();
        byte[] name = in.bytes(nameLength);
        long group = (flags & PlanFiles.HAS_GROUP) == 0 ? 0 : in.u64();
        ChunkRange chunk = (flags & PlanFiles.HAS_CHUNK) == 0
                ? null
                : new ChunkRange(in.u32(), in.u32(), in.u64(), in.u64());
        long bytes = ManifestEntry.bytes(kind, size, chunk);
        long data = (flags & PlanFiles.HAS_DATA) == 0 ? bytes : in.u64();
        Timestamp ctime = (flags & PlanFiles.HAS_CHANGE_TIME) == 0 ? null : new Timestamp(in.u64(), in.u32());
        TreePath path = nameLength == 0 ? directory : directory.child(name);
        return new ManifestEntry(index++, root, path, kind, size, mtime, inode, device, group, chunk, data, ctime);
    }

    @Override
    public void close() {
        in.close();
    }
}
