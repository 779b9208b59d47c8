// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** A file of a store over plain maps: each block of data is an array, and a missing block is a hole. */
public class MapFile implements SourceFile, TargetFile {

    static final int BLOCK = 4096;

    // The blocks are on three nodes, in stripes of 16.
    private static final int NODES = 3;
    private static final int STRIPE = 16 * BLOCK;

    private static final AtomicLong INODES = new AtomicLong();

    /** The data that all open files of one name share. Guarded by itself. */
    public static final class Content {
        private final long inode = INODES.incrementAndGet();
        private final NavigableMap<Long, byte[]> blocks = new TreeMap<>();
        private int mode;
        private long size;
        private long changes;

        /**
         * Creates an empty file.
         *
         * @param mode its type and permissions
         */
        public Content(int mode) {
            this.mode = mode;
        }

        /** Returns the status; each change of the data advances its times by a second. */
        public synchronized FileStatus status() {
            return new FileStatus(mode, 1, 1, 1, inode, 1, 0, size, blocks.size() * (long) BLOCK / 512, changes, 0,
                    changes, 0, changes, 0, false, 0, 0);
        }

        /** Takes the metadata of the source. */
        synchronized void settle(FileStatus source) {
            mode = source.mode();
            changes = source.mtimeSeconds();
        }

        /** Returns all data, with zeros for holes. */
        public synchronized byte[] bytes() {
            byte[] all = new byte[Math.toIntExact(size)];
            get(MemorySegment.ofArray(all), 0);
            return all;
        }

        /** Returns the number of bytes of the blocks that are no holes. */
        public synchronized long dataBytes() {
            return blocks.size() * (long) BLOCK;
        }

        /** Changes one byte without a change of the status, like a failing disk. */
        public synchronized void corrupt(long offset) {
            byte[] block = blocks.get(offset / BLOCK);
            if (block == null) {
                throw new IllegalArgumentException("a hole at " + offset);
            }
            block[(int) (offset % BLOCK)] ^= 1;
        }

        synchronized long get(MemorySegment into, long offset) {
            long n = Math.max(0, Math.min(into.byteSize(), size - offset));
            for (long done = 0; done < n;) {
                long at = offset + done;
                long part = Math.min(n - done, BLOCK - at % BLOCK);
                byte[] block = blocks.get(at / BLOCK);
                if (block == null) {
                    into.asSlice(done, part).fill((byte) 0);
                } else {
                    MemorySegment.copy(MemorySegment.ofArray(block), at % BLOCK, into, done, part);
                }
                done += part;
            }
            return n;
        }

        synchronized void put(MemorySegment data, long offset) {
            for (long done = 0; done < data.byteSize();) {
                long at = offset + done;
                int part = (int) Math.min(data.byteSize() - done, BLOCK - at % BLOCK);
                byte[] block = blocks.computeIfAbsent(at / BLOCK, i -> new byte[BLOCK]);
                MemorySegment.copy(data, ValueLayout.JAVA_BYTE, done, block, (int) (at % BLOCK), part);
                done += part;
            }
            if (data.byteSize() > 0) {
                size = Math.max(size, offset + data.byteSize());
                changes++;
            }
        }

        synchronized void resize(long newSize) {
            if (newSize < size) {
                blocks.tailMap(Math.ceilDiv(newSize, BLOCK), true).clear();
                byte[] last = newSize % BLOCK == 0 ? null : blocks.get(newSize / BLOCK);
                if (last != null) {
                    Arrays.fill(last, (int) (newSize % BLOCK), BLOCK, (byte) 0);
                }
            }
            size = newSize;
            changes++;
        }

        synchronized long dataAt(long offset) {
            Map.Entry<Long, byte[]> block = offset >= size ? null : blocks.ceilingEntry(offset / BLOCK);
            return block == null ? NO_DATA : Math.max(offset, block.getKey() * BLOCK);
        }

        synchronized long holeAt(long data) {
            long block = data / BLOCK;
            while (blocks.containsKey(block)) {
                block++;
            }
            return Math.min(size, block * BLOCK);
        }

        synchronized List<Location> locations(long offset, long length) {
            long end = Math.min(size, length > size - offset ? size : offset + length);
            List<Location> found = new ArrayList<>();
            for (long at = dataAt(offset); at != NO_DATA && at < end;) {
                long next = Math.min(end, Math.min(holeAt(at), (at / STRIPE + 1) * STRIPE));
                found.add(new Location(at, next - at, List.of("node" + at / STRIPE % NODES)));
                at = dataAt(next);
            }
            return found;
        }

        synchronized void become(Content other) {
            synchronized (other) {
                blocks.clear();
                other.blocks.forEach((index, block) -> blocks.put(index, block.clone()));
                size = other.size;
            }
            changes++;
        }
    }

    private final Content content;
    private long position;

    /** Opens a file. */
    public MapFile(Content content) {
        this.content = content;
    }

    /** Returns the data of the file. */
    public Content content() {
        return content;
    }

    @Override
    public FileStatus status() {
        return content.status();
    }

    @Override
    public long read(MemorySegment into) throws SystemCallException {
        long n = content.get(into, position);
        position += n;
        return n;
    }

    @Override
    public void rewind() {
        position = 0;
    }

    @Override
    public void close() {
        // It holds nothing.
    }

    @Override
    public long read(MemorySegment into, long offset) throws SystemCallException {
        return content.get(into, offset);
    }

    @Override
    public long nextData(long offset) throws SystemCallException {
        return content.dataAt(offset);
    }

    @Override
    public long nextHole(long data) {
        return content.holeAt(data);
    }

    @Override
    public List<Location> locations(long offset, long length) {
        return content.locations(offset, length);
    }

    @Override
    public void write(MemorySegment data) throws SystemCallException {
        content.put(data, position);
        position += data.byteSize();
    }

    @Override
    public void write(MemorySegment data, long offset) throws SystemCallException {
        content.put(data, offset);
    }

    @Override
    public void setSize(long size) throws SystemCallException {
        content.resize(size);
    }

    @Override
    public long copyFrom(SourceFile source, long offset, long length) {
        if (!(source instanceof MapFile other)) {
            return CANNOT;
        }
        MemorySegment data = MemorySegment.ofArray(new byte[(int) Math.min(length, 1 << 16)]);
        long n = other.content.get(data, offset);
        content.put(data.asSlice(0, n), offset);
        return n;
    }

    @Override
    public void cloneFrom(SourceFile source) throws SystemCallException {
        if (!(source instanceof MapFile other)) {
            throw new SystemCallException("clone", Errno.EXDEV);
        }
        content.become(other.content);
    }
}
