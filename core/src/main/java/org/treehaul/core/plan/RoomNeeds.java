// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.plan.format.PlannedRoom;

/**
 * Counts the space that the copies need on each file system of the destination, never more than they really need.
 * Thread-safe.
 */
public final class RoomNeeds {

    private static final long BLOCK = 4096;
    private static final long UNIT = 512;

    // The unit for counting inodes: each name of a file with several names counts as a fraction of it.
    private static final long WHOLE = 1_000_000;

    private final boolean hasLinkGroups;
    private final Need unknown = new Need(-1, ByteString.of("/"));
    private final Map<Long, Need> needs = new ConcurrentHashMap<>();

    /**
     * Creates counters that are all zero.
     *
     * @param hasLinkGroups whether further names of a file become links
     */
    public RoomNeeds(boolean hasLinkGroups) {
        this.hasLinkGroups = hasLinkGroups;
    }

    /** The need on one file system. */
    public final class Need {
        private final long device;
        private final ByteString directory;
        private final LongAdder bytes = new LongAdder();
        private final LongAdder nearBytes = new LongAdder();
        private final LongAdder roundedBytes = new LongAdder();
        private final LongAdder parts = new LongAdder();

        private Need(long device, ByteString directory) {
            this.device = device;
            this.directory = directory;
        }

        /** Returns whether this is the need on a device. */
        boolean isOf(long other) {
            return device == other;
        }

        /** Counts an entry that is not a directory. */
        public void add(FileStatus source) {
            long names = hasLinkGroups ? Math.max(1, source.linkCount()) : 1;
            parts.add(WHOLE / names);
            if (!source.kind().hasData()) {
                return;
            }
            long data = data(source.size(), source.blocks());
            (source.device() == device ? nearBytes : bytes).add(data / names);
            roundedBytes.add(rounded(data) / names);
        }

        /** Counts regular files, each with one name. */
        void add(Files files) {
            parts.add(WHOLE * files.count);
            bytes.add(files.all - files.near);
            nearBytes.add(files.near);
            roundedBytes.add(files.rounded);
        }

        /** Counts a directory that the copy must create. */
        public void addDirectory() {
            parts.add(WHOLE);
            roundedBytes.add(BLOCK);
        }

        private PlannedRoom planned() {
            return new PlannedRoom(directory, bytes.sum(), nearBytes.sum(), roundedBytes.sum(), parts.sum() / WHOLE);
        }
    }

    // Holes stay holes; a copy from a source that compresses needs more than this.
    private static long data(long size, long blocks) {
        return Math.min(size, blocks * UNIT);
    }

    private static long rounded(long data) {
        return (data + BLOCK - 1) / BLOCK * BLOCK;
    }

    /** Regular files, each with one name, that are counted together. Used by one thread. */
    static final class Files {
        private int count;
        private long all;
        private long near;
        private long rounded;

        /**
         * Adds a file.
         *
         * @param isNear whether it is on the file system of the need to which the files will be added
         */
        void add(long size, long blocks, boolean isNear) {
            long data = data(size, blocks);
            count++;
            all += data;
            near += isNear ? data : 0;
            rounded += rounded(data);
        }
    }

    /**
     * Returns the counter of a file system.
     *
     * @param directory a directory on it
     */
    public Need of(long device, ByteString directory) {
        return needs.computeIfAbsent(device, d -> new Need(d, directory));
    }

    /** Returns a counter that no result contains, for operations without a target. */
    Need none() {
        return new Need(-1, ByteString.of("/"));
    }

    /** Returns the counter for targets whose file system is unknown. */
    Need unknown() {
        return unknown;
    }

    /** Returns the need on each file system, without those that need nothing. */
    public List<PlannedRoom> planned() {
        List<PlannedRoom> rooms = new ArrayList<>();
        needs.values().forEach(need -> rooms.add(need.planned()));
        rooms.removeIf(room -> room.inodes() == 0);
        rooms.sort((a, b) -> a.directory().compareTo(b.directory()));
        return rooms;
    }
}
