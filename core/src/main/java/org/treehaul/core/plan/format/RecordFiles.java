// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/** The records of those plan files that hold one kind of record each: directories, files in chunks, failures. */
public final class RecordFiles {

    private RecordFiles() {}

    /** Returns the flags of a directory. One with rights has an identity, and none at the target. */
    public static int flags(OptionalInt targetMode, boolean isIncomplete, boolean hasIdentity, boolean hasRights) {
        return (targetMode.isPresent() ? PlanFiles.HAS_TARGET : 0) | (isIncomplete ? PlanFiles.IS_INCOMPLETE : 0)
                | (hasIdentity ? PlanFiles.HAS_IDENTITY : 0) | (hasRights ? PlanFiles.HAS_RIGHTS : 0);
    }

    /** Writes records of one kind, followed by their number. */
    public static final class Writer implements AutoCloseable {
        private final BinaryWriter out;
        private long count;

        public Writer(Path file, String magic) throws IOException {
            this.out = new BinaryWriter(TextFile.synced(file), 64 * 1024, magic);
        }

        /**
         * Writes a directory; inode and device are ignored unless the flags contain an identity, and the owner unless
         * they contain rights.
         */
        public void directory(int root, byte[] path, int flags, int mode, long inode, long device, int uid, int gid)
                throws IOException {
            begin();
            place(root, path);
            out.u8(flags);
            out.u16(mode);
            if ((flags & PlanFiles.HAS_IDENTITY) != 0) {
                out.u64(inode);
                out.u64(device);
            }
            if ((flags & PlanFiles.HAS_RIGHTS) != 0) {
                out.u32(uid);
                out.u32(gid);
            }
        }

        public void directory(PlannedDirectory directory) throws IOException {
            Identity identity = directory.identity();
            Identity.Rights rights = identity == null ? null : identity.rights();
            directory(directory.root(), directory.path().toBytes(),
                    flags(directory.targetMode(), directory.isIncomplete(), identity != null, rights != null),
                    rights == null ? directory.targetMode().orElse(0) : rights.permissions(),
                    identity == null ? 0 : identity.inode(), identity == null ? 0 : identity.device(),
                    rights == null ? 0 : (int) rights.uid(), rights == null ? 0 : (int) rights.gid());
        }

        /** Starts a file in chunks; the caller must then call {@link #place} once for each of its links. */
        public void chunked(int root, byte[] path, SpooledStatus status, int chunks, long group, long links)
                throws IOException {
            begin();
            place(root, path);
            out.u64(status.size());
            out.u64(status.mtimeSeconds());
            out.u32(status.mtimeNanos());
            out.u64(status.inode());
            out.u64(status.device());
            out.u32(chunks);
            out.u64(group);
            out.u32((int) links);
        }

        public void failure(PlannedFailure failed) throws IOException {
            begin();
            place(failed.root(), failed.failure().path().toBytes());
            byte[] operation = failed.failure().operation().getBytes(StandardCharsets.UTF_8);
            out.u8(PlanFiles.letter(failed.failure().kind()));
            out.u32(failed.failure().errno());
            out.u16(operation.length);
            out.bytes(operation);
        }

        private void begin() throws IOException {
            out.u8(PlanFiles.RECORD);
            count++;
        }

        public void place(int root, byte[] path) throws IOException {
            out.u32(root);
            out.u32(path.length);
            out.bytes(path);
        }

        public long count() {
            return count;
        }

        public int end() throws IOException {
            out.u8(PlanFiles.END);
            out.u64(count);
            return out.end();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }

    /** Reads records of one kind. */
    abstract static class Reader<T> implements PlanRecords<T> {
        final BinaryReader in;
        private long count;
        private boolean ended;

        Reader(BinaryReader in) {
            this.in = in;
        }

        abstract T read() throws IOException;

        @Override
        public @Nullable T next() throws PlanException {
            try {
                int type = ended ? PlanFiles.END : in.u8();
                if (type == PlanFiles.RECORD) {
                    count++;
                    return read();
                }
                if (type != PlanFiles.END) {
                    throw PlanException.damaged(in.file(), "a record of unknown kind");
                }
                if (!ended && in.u64() != count) {
                    throw PlanException.damaged(in.file(), "its number of records is wrong");
                }
                ended = true;
                return null;
            } catch (IOException e) {
                throw PlanException.unreadable(in.file(), e);
            } catch (IllegalArgumentException e) {
                throw PlanException.damaged(in.file(), String.valueOf(e.getMessage()));
            }
        }

        TreePath path() throws IOException {
            return TreePath.of(in.bytes(in.u32()));
        }

        @Override
        public void close() {
            in.close();
        }
    }

    static final class Directories extends Reader<PlannedDirectory> {
        Directories(BinaryReader in) {
            super(in);
        }

        @Override
        PlannedDirectory read() throws IOException {
            int root = in.u32();
            TreePath path = path();
            int flags = in.u8();
            int mode = in.u16();
            return new PlannedDirectory(root, path,
                    (flags & PlanFiles.HAS_TARGET) == 0 ? OptionalInt.empty() : OptionalInt.of(mode),
                    (flags & PlanFiles.IS_INCOMPLETE) != 0,
                    (flags & PlanFiles.HAS_IDENTITY) == 0 ? null : identity(flags, mode));
        }

        private Identity identity(int flags, int mode) throws IOException {
            long inode = in.u64();
            long device = in.u64();
            return new Identity(EntryKind.DIRECTORY, inode, device, null, null, (flags & PlanFiles.HAS_RIGHTS) == 0
                    ? null
                    : new Identity.Rights(mode, Integer.toUnsignedLong(in.u32()), Integer.toUnsignedLong(in.u32())));
        }
    }

    static final class Chunked extends Reader<PlannedFile> {
        Chunked(BinaryReader in) {
            super(in);
        }

        @Override
        PlannedFile read() throws IOException {
            int root = in.u32();
            TreePath path = path();
            long size = in.u64();
            Timestamp mtime = new Timestamp(in.u64(), in.u32());
            long inode = in.u64();
            long device = in.u64();
            int chunks = in.u32();
            long group = in.u64();
            int links = in.u32();
            List<PlannedFile.Name> names = new ArrayList<>();
            for (int i = 0; i < links; i++) {
                names.add(new PlannedFile.Name(in.u32(), path()));
            }
            return new PlannedFile(root, path, size, mtime, inode, device, chunks, group, names);
        }
    }

    static final class Failures extends Reader<PlannedFailure> {
        private final List<PlannedRoot> roots;

        Failures(BinaryReader in, List<PlannedRoot> roots) {
            super(in);
            this.roots = roots;
        }

        @Override
        PlannedFailure read() throws IOException {
            int root = in.u32();
            TreePath path = path();
            int kind = in.u8();
            int errno = in.u32();
            String operation = new String(in.bytes(in.u16()), StandardCharsets.UTF_8);
            if (root < 0 || root >= roots.size()) {
                throw PlanException.damaged(in.file(), "a failure of an unknown root");
            }
            ByteString source = roots.get(root).source();
            return new PlannedFailure(root, new EntryFailure(PlanFiles.failure(kind), source, path, operation, errno));
        }
    }
}
