// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * The segments in a directory that this process reaches itself: a file for each segment, and one for its checksums.
 * Names are made from ids and numbers and resolved in the open directory, so that no client can reach another file.
 * <p>
 * The lock that keeps a late change out of another generation is that of this process; between processes that share a
 * directory, a write or truncation that has opened the segment when another process changes the generation may still
 * take effect.
 */
public final class LocalSegments implements Segments {

    private static final String SUMS = ".sums";
    // No write or change of two segments waits for the other, unless their keys meet in one of these locks.
    private static final int LOCKS = 64;
    private static final ValueLayout.OfLong SUM = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final FileSystemCalls calls;
    private final String server;
    private final int directory;
    private final ReadWriteLock[] locks = new ReadWriteLock[LOCKS];
    // Held by each operation, so that the descriptor is closed by none that others use.
    private final ReadWriteLock open = new ReentrantReadWriteLock();
    private boolean isClosed;

    private LocalSegments(FileSystemCalls calls, String server, int directory) {
        this.calls = calls;
        this.server = server;
        this.directory = directory;
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new ReentrantReadWriteLock();
        }
    }

    /**
     * Makes the directory of a server, private to this user, or finds the one that is there.
     *
     * @param path the absolute path of the directory, whose parent exists
     * @return the id that the directory has
     * @throws StageException if it cannot be made, is not empty, or is open to other users
     */
    public static UUID make(FileSystemCalls calls, ByteString path) throws StageException {
        return LocalServers.Marker.make(calls, path);
    }

    /**
     * Opens the directory of a server.
     *
     * @throws StageException if this host does not have it: the directory is absent, is that of another server, or is
     *         open to other users
     */
    public static LocalSegments open(FileSystemCalls calls, StageServer server) throws StageException {
        try (FileAccess access = FileAccess.open(calls)) {
            int descriptor = LocalServers.Marker.directory(access, server.directory());
            try {
                Optional<UUID> found = LocalServers.Marker.id(access, descriptor);
                if (found.isEmpty() || !found.get().equals(server.id())) {
                    throw new SystemCallException("this host has another directory there than "
                            + ByteString.printable(server.host()) + ": reach the server by its address", 0);
                }
                return new LocalSegments(calls, server.display(), descriptor);
            } catch (SystemCallException e) {
                access.closeQuietly(descriptor);
                throw e;
            }
        } catch (SystemCallException e) {
            throw new StageException(server.display(), e.operation(), e.errno(), e);
        }
    }

    @Override
    public String server() {
        return server;
    }

    /** Work on an open segment. */
    @FunctionalInterface
    interface Work {
        long run(FileAccess access, int descriptor) throws SystemCallException;
    }

    private long locked(SegmentKey key, boolean exclusively, Work work) throws StageException {
        ReadWriteLock lock = locks[Math.floorMod(key.file().hashCode() * 31 + key.index(), LOCKS)];
        Lock held = exclusively ? lock.writeLock() : lock.readLock();
        open.readLock().lock();
        try {
            held.lock();
            try (FileAccess access = FileAccess.open(calls)) {
                if (isClosed) {
                    throw new SystemCallException("the stage was closed", Errno.EBADF);
                }
                return work.run(access, directory);
            } catch (SystemCallException e) {
                int errno = e.errno() == Errno.ENOENT ? Errno.ESTALE : e.errno();
                throw new StageException("segment " + key + " on server " + server, e.operation(), errno, e);
            } finally {
                held.unlock();
            }
        } finally {
            open.readLock().unlock();
        }
    }

    private long opened(SegmentKey key, int flags, boolean exclusively, Work work) throws StageException {
        return locked(key, exclusively, (access, directory) -> {
            int descriptor = access.open(directory, access.name(name(key)), flags | O_NOFOLLOW | O_NONBLOCK, 0);
            return closing(access, descriptor, flags != O_RDONLY, work);
        });
    }

    static long closing(FileAccess access, int descriptor, boolean isWritten, Work work) throws SystemCallException {
        long result;
        try {
            result = work.run(access, descriptor);
        } catch (SystemCallException | RuntimeException | Error e) {
            access.closeQuietly(descriptor);
            throw e;
        }
        if (isWritten) {
            access.close(descriptor);
        } else {
            access.closeQuietly(descriptor);
        }
        return result;
    }

    private static byte[] name(SegmentKey key) {
        return key.name().getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] sumsName(SegmentKey key) {
        return (key.name() + SUMS).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void create(SegmentKey key) throws StageException {
        put(key, MemorySegment.NULL, StripeSum.UNKNOWN);
    }

    @Override
    @Internal
    public void put(SegmentKey key, MemorySegment bytes, long sum) throws StageException {
        locked(key, false, (access, directory) -> {
            put(access, name(key), bytes);
            if (sum != StripeSum.UNKNOWN) {
                try (Arena arena = Arena.ofConfined()) {
                    put(access, sumsName(key), arena.allocateFrom(SUM, sum));
                }
            }
            return 0;
        });
    }

    private void put(FileAccess access, byte[] name, MemorySegment bytes) throws SystemCallException {
        int made = access.open(directory, access.name(name), O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0600);
        closing(access, made, true, (ignored, file) -> {
            access.writeFully(file, bytes, 0);
            return 0;
        });
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
        return opened(key, O_RDONLY, false, (access, file) -> {
            long sum = 0;
            for (SegmentPart part : parts) {
                long n = access.readFully(file, part.bytes(), part.offset());
                part.bytes().asSlice(n).fill((byte) 0);
                sum += n;
            }
            return sum;
        });
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
        opened(key, O_WRONLY, false, (access, file) -> {
            for (SegmentPart part : parts) {
                access.writeFully(file, part.bytes(), part.offset());
            }
            return 0;
        });
    }

    @Override
    public long size(SegmentKey key) throws StageException {
        return locked(key, false, (access, directory) -> access.status(directory, access.name(name(key))).size());
    }

    @Override
    public void truncate(SegmentKey key, long size) throws StageException {
        opened(key, O_WRONLY, true, (access, file) -> FileAccess.check("ftruncate", calls.ftruncate(file, size)));
    }

    @Override
    public void grow(SegmentKey key, long size) throws StageException {
        opened(key, O_WRONLY, true, (access, file) -> {
            if (access.status(file).size() >= size) {
                return 0;
            }
            // Unlike ftruncate, this cannot cut off what another process has just written.
            int grown = calls.fallocate(file, 0, size - 1, 1);
            if (grown < 0 && Errno.isUnsupported(-grown) && access.status(file).size() < size) {
                grown = calls.ftruncate(file, size);
            }
            return FileAccess.check("fallocate", grown);
        });
    }

    @Override
    public void advance(SegmentKey key, long generation) throws StageException {
        SegmentKey next = key.in(generation);
        if (generation <= key.generation()) {
            throw new IllegalArgumentException("generation " + generation + " after " + key.generation());
        }
        locked(key, true, (access, directory) -> {
            // The segment first: a client that knows the earlier generation would change it without its checksums.
            int data = calls.renameat2(directory, access.name(name(key)), directory, access.otherName(name(next)), 0);
            if (data != -Errno.ENOENT || access.find(directory, access.name(name(next)), false) == null) {
                FileAccess.check("rename", data);
            }
            int sums = calls.renameat2(directory, access.name(sumsName(key)), directory,
                    access.otherName(sumsName(next)), 0);
            return sums == -Errno.ENOENT ? 0 : FileAccess.check("rename", sums);
        });
    }

    @Override
    public void readSums(SegmentKey key, long first, long[] into) throws StageException {
        locked(key, false, (access, directory) -> {
            Arrays.fill(into, StripeSum.UNKNOWN);
            int file = access.tryOpen(directory, access.name(sumsName(key)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            if (file == -Errno.ENOENT) {
                // Fails if the segment is absent too.
                access.status(directory, access.name(name(key)));
                return 0;
            }
            return closing(access, FileAccess.check("open", file), false, (ignored, descriptor) -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment bytes = arena.allocate((long) into.length * Long.BYTES);
                    long n = access.readFully(descriptor, bytes, first * Long.BYTES) / Long.BYTES;
                    for (int i = 0; i < n; i++) {
                        into[i] = bytes.get(SUM, (long) i * Long.BYTES);
                    }
                    return n;
                }
            });
        });
    }

    @Override
    public void writeSums(SegmentKey key, long first, long[] sums) throws StageException {
        locked(key, false, (access, directory) -> {
            // Checksums of a generation that is gone would be left over.
            access.status(directory, access.name(name(key)));
            boolean isForgotten = Arrays.stream(sums).allMatch(sum -> sum == StripeSum.UNKNOWN);
            int file = access.tryOpen(directory, access.name(sumsName(key)),
                    (isForgotten ? 0 : O_CREAT) | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0600);
            if (file == -Errno.ENOENT && isForgotten) {
                return 0;
            }
            return closing(access, FileAccess.check("open", file), true, (ignored, descriptor) -> {
                // Checksums that are absent are unknown: those of a large hole take no room. One of which a full disk
                // has taken a part is not absent.
                long most = isForgotten
                        ? Math.clamp(Math.ceilDiv(access.status(descriptor).size(), Long.BYTES) - first, 0, sums.length)
                        : sums.length;
                if (most == 0) {
                    return 0;
                }
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment bytes = arena.allocate(most * Long.BYTES);
                    for (int i = 0; i < most; i++) {
                        bytes.set(SUM, (long) i * Long.BYTES, sums[i]);
                    }
                    access.writeFully(descriptor, bytes, first * Long.BYTES);
                    return 0;
                }
            });
        });
    }

    @Override
    public void sync(SegmentKey key) throws StageException {
        locked(key, false, (access, directory) -> {
            int data = access.open(directory, access.name(name(key)), O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            closing(access, data, true, (ignored, file) -> FileAccess.check("fsync", calls.fsync(file)));
            int sums = access.tryOpen(directory, access.name(sumsName(key)), O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
            if (sums != -Errno.ENOENT) {
                closing(access, FileAccess.check("open", sums), true,
                        (ignored, file) -> FileAccess.check("fsync", calls.fsync(file)));
            }
            return FileAccess.check("fsync", calls.fsync(directory));
        });
    }

    @Override
    public void remove(SegmentKey key) throws StageException {
        locked(key, true, (access, directory) -> {
            for (byte[] name : List.of(sumsName(key), name(key))) {
                int gone = calls.unlinkat(directory, access.name(name), 0);
                if (gone < 0 && gone != -Errno.ENOENT) {
                    throw new SystemCallException("unlink", -gone);
                }
            }
            return 0;
        });
    }

    @Override
    public void list(Consumer<? super StoredSegment> action) throws StageException {
        open.readLock().lock();
        try (FileAccess access = FileAccess.open(calls); FileAccess looks = FileAccess.open(calls)) {
            if (isClosed) {
                throw new SystemCallException("the stage was closed", Errno.EBADF);
            }
            int listed = access.open(directory, access.name(new byte[]{'.'}), O_DIRECTORY | O_NOFOLLOW, 0);
            List<SystemCallException> failures = new ArrayList<>();
            closing(access, listed, false, (ignored, descriptor) -> {
                MemorySegment records = access.listing();
                int length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, records));
                while (length > 0) {
                    for (long at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                        pass(looks, DirectoryRecords.nameBytes(records, at), action, failures);
                    }
                    length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, records));
                }
                return 0;
            });
            if (!failures.isEmpty()) {
                throw failures.getFirst();
            }
        } catch (SystemCallException e) {
            throw new StageException("server " + server, e.operation(), e.errno(), e);
        } finally {
            open.readLock().unlock();
        }
    }

    private void pass(FileAccess access, byte[] name, Consumer<? super StoredSegment> action,
            List<SystemCallException> failures) {
        Optional<SegmentKey> key = SegmentKey.parse(new String(name, StandardCharsets.ISO_8859_1));
        if (key.isEmpty()) {
            return;
        }
        FileStatus status;
        try {
            status = access.find(directory, access.name(name), false);
        } catch (SystemCallException e) {
            if (failures.isEmpty()) {
                failures.add(new SystemCallException("list segment " + key.get() + ": " + e.operation(), e.errno()));
            }
            return;
        }
        if (status != null) {
            action.accept(new StoredSegment(key.get(), status.size()));
        }
    }

    @Override
    public void close() {
        open.writeLock().lock();
        try {
            if (!isClosed) {
                isClosed = true;
                calls.close(directory);
            }
        } finally {
            open.writeLock().unlock();
        }
    }
}
