// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

import org.treehaul.core.walk.frontier.Frontier;

/** A unit of simulated work that waits, and its form in messages. */
abstract sealed class TreeUnit implements Frontier.Work<TreeUnit> {

    private static final int NAMES = 1;
    private static final int SLICE = 2;
    private static final int HEAD_BYTES = 1 + 2 * Long.BYTES + 3 * Integer.BYTES;

    /** A directory: its number, the number of entries below it and the length of its path. */
    record Place(long id, long below, int path) {}

    @Override
    public int units() {
        return 1;
    }

    @Override
    public TreeUnit takeOne() {
        return this;
    }

    @Override
    public TreeUnit takeHalf() {
        throw new IllegalStateException("not divisible");
    }

    @Override
    public boolean isPortable() {
        return true;
    }

    /** Subdirectories of one directory; or the root, with a path length of -1. */
    static final class Names extends TreeUnit {
        private final int path;
        private final int name;
        private final long[] ids;
        private final long[] below;
        private int from;
        private int to;

        Names(int path, int name, long[] ids, long[] below, int from, int to) {
            this.path = path;
            this.name = name;
            this.ids = ids;
            this.below = below;
            this.from = from;
            this.to = to;
        }

        boolean isRoot() {
            return path < 0;
        }

        int path() {
            return path;
        }

        int name() {
            return name;
        }

        @Override
        public int units() {
            return to - from;
        }

        @Override
        public TreeUnit takeOne() {
            from++;
            return new Names(path, name, ids, below, from - 1, from);
        }

        @Override
        public TreeUnit takeHalf() {
            return take(units() / 2);
        }

        @Override
        public Names take(int units) {
            to -= units;
            return new Names(path, name, ids, below, to, to + units);
        }

        Place first() {
            return new Place(ids[from], below[from], path < 0 ? 0 : path == 0 ? name : path + 1 + name);
        }

        void write(ByteArrayOutputStream out) {
            writeHead(out, NAMES, new Place(0, 0, path), name, units());
            ByteBuffer some = ByteBuffer.allocate(2 * Long.BYTES * units());
            for (int i = from; i < to; i++) {
                some.putLong(ids[i]).putLong(below[i]);
            }
            out.write(some.array(), 0, some.position());
        }
    }

    /** A part of the listing of a directory. */
    static final class Slice extends TreeUnit {
        private final Place place;
        private final int record;
        private final long from;
        private final long to;

        Slice(Place place, int record, long from, long to) {
            this.place = place;
            this.record = record;
            this.from = from;
            this.to = to;
        }

        Place place() {
            return place;
        }

        int record() {
            return record;
        }

        long from() {
            return from;
        }

        long to() {
            return to;
        }

        long entries() {
            return to - from;
        }

        /** Returns the part after this number of entries. */
        Slice after(long entries) {
            return new Slice(place, record, from + entries, to);
        }

        /** Writes the part before this number of entries. */
        void write(ByteArrayOutputStream out, long entries) {
            writeHead(out, SLICE, place, record, 1);
            out.write(ByteBuffer.allocate(2 * Long.BYTES).putLong(from).putLong(from + entries).array(), 0,
                    2 * Long.BYTES);
        }
    }

    private static void writeHead(ByteArrayOutputStream out, int kind, Place place, int length, int count) {
        out.write(ByteBuffer.allocate(HEAD_BYTES)
                .put((byte) kind)
                .putLong(place.id())
                .putLong(place.below())
                .putInt(place.path())
                .putInt(length)
                .putInt(count)
                .array(), 0, HEAD_BYTES);
    }

    /** Reads the next unit of a message. */
    static TreeUnit read(ByteBuffer in) {
        int kind = in.get();
        Place place = new Place(in.getLong(), in.getLong(), in.getInt());
        int length = in.getInt();
        int count = in.getInt();
        if (kind == SLICE) {
            return new Slice(place, length, in.getLong(), in.getLong());
        }
        long[] ids = new long[count];
        long[] below = new long[count];
        for (int i = 0; i < count; i++) {
            ids[i] = in.getLong();
            below[i] = in.getLong();
        }
        return new Names(place.path(), length, ids, below, 0, count);
    }
}
