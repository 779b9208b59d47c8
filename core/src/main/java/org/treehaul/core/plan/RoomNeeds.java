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
            // Holes stay holes; a copy from a source that compresses needs more than this.
            long data = Math.min(source.size(), source.blocks() * UNIT);
            (source.device() == device ? nearBytes : bytes).add(data / names);
            roundedBytes.add((data + BLOCK - 1) / BLOCK * BLOCK / names);
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
