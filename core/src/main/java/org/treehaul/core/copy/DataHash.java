// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;
import org.jspecify.annotations.Nullable;

/** A running hash of data in native memory. Used by one thread. */
public abstract sealed class DataHash {

    private DataHash() {}

    /** Returns the XXH3 of 128 bits. */
    public static DataHash xxh3() {
        return new Xxh3();
    }

    /** Returns the SHA-256. */
    public static DataHash sha256() {
        return new Sha256();
    }

    /** Returns a hash of the kind that the options ask for, or null when data are not to be read back. */
    static @Nullable DataHash of(CopyOptions.Verify kind) {
        return switch (kind) {
            case NONE -> null;
            case XXH3 -> xxh3();
            case SHA256 -> sha256();
        };
    }

    /** Takes more data. */
    public abstract void update(MemorySegment data);

    /** Returns the hash of what was given since the last call, and begins anew. */
    abstract byte[] finish();

    /** As {@link #finish}, with the bytes in the order in which {@code xxh128sum} and {@code sha256sum} print them. */
    public byte[] finishAsPrinted() {
        return finish();
    }

    /** Forgets what was given. */
    abstract void reset();

    /** Returns the hash of some data by themselves. */
    byte[] ofWhole(MemorySegment data) {
        reset();
        update(data);
        return finish();
    }

    private static final class Xxh3 extends DataHash {
        private final Hasher128 hasher = Hashing.xxh3_128();
        private final HashStream128 stream = hasher.hashStream();

        // Out of an array the hash is made nearly twice as fast as out of native memory, and a copy within the cache is cheap.
        private final byte[] piece = new byte[64 * 1024];

        @Override
        public void update(MemorySegment data) {
            for (long at = 0; at < data.byteSize(); at += piece.length) {
                int length = (int) Math.min(piece.length, data.byteSize() - at);
                MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at, piece, 0, length);
                stream.putBytes(piece, 0, length);
            }
        }

        @Override
        byte[] finish() {
            HashValue128 value = stream.get();
            stream.reset();
            return value.toByteArray();
        }

        @Override
        public byte[] finishAsPrinted() {
            byte[] hash = finish();
            byte[] printed = new byte[hash.length];
            for (int i = 0; i < hash.length; i++) {
                printed[i] = hash[hash.length - 1 - i];
            }
            return printed;
        }

        @Override
        void reset() {
            stream.reset();
        }

        // In one go the same hash takes less, and above all less code to be compiled.
        @Override
        byte[] ofWhole(MemorySegment data) {
            if (data.byteSize() > piece.length) {
                return super.ofWhole(data);
            }
            int length = (int) data.byteSize();
            MemorySegment.copy(data, ValueLayout.JAVA_BYTE, 0, piece, 0, length);
            return hasher.hashBytesTo128Bits(piece, 0, length).toByteArray();
        }
    }

    private static final class Sha256 extends DataHash {
        private final MessageDigest digest;

        Sha256() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        @Override
        public void update(MemorySegment data) {
            digest.update(data.asByteBuffer());
        }

        @Override
        byte[] finish() {
            return digest.digest();
        }

        @Override
        void reset() {
            digest.reset();
        }
    }

    /**
     * The hash of some parts of a file.
     *
     * <p>
     * What lies between the parts, up to the bounds, was a hole in the source and must read as zeros.
     */
    static final class Extents {
        /** Nothing to read back. */
        static final Extents NONE = new Extents(0, 0);

        private final long from;
        private final long to;
        private long[] bounds = new long[4];
        private int used;
        private byte[] hash = {};

        Extents(long from, long to) {
            this.from = from;
            this.to = to;
        }

        /** Returns it as bytes, little-endian: the bounds, the number of parts, the parts, the hash. */
        byte[] toBytes() {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * (3 + used) + hash.length)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(from)
                    .putLong(to)
                    .putLong(count());
            for (int i = 0; i < used; i++) {
                bytes.putLong(bounds[i]);
            }
            return bytes.put(hash).array();
        }

        /**
         * Returns what {@link #toBytes} wrote.
         *
         * @throws IllegalArgumentException when it cannot have
         */
        static Extents of(byte[] written) {
            try {
                ByteBuffer bytes = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
                Extents extents = new Extents(bytes.getLong(), bytes.getLong());
                for (long left = bytes.getLong(); left > 0; left--) {
                    extents.add(bytes.getLong(), bytes.getLong());
                }
                byte[] hash = new byte[bytes.remaining()];
                bytes.get(hash);
                extents.setHash(hash);
                return extents;
            } catch (BufferUnderflowException e) {
                throw new IllegalArgumentException("no proof of a chunk", e);
            }
        }

        void add(long start, long end) {
            if (used > 0 && bounds[used - 1] == start) {
                bounds[used - 1] = end;
                return;
            }
            if (used == bounds.length) {
                bounds = Arrays.copyOf(bounds, used * 2);
            }
            bounds[used++] = start;
            bounds[used++] = end;
        }

        void setHash(byte[] value) {
            hash = value;
        }

        boolean hasHash(byte[] value) {
            return MessageDigest.isEqual(hash, value);
        }

        long from() {
            return from;
        }

        long to() {
            return to;
        }

        int count() {
            return used / 2;
        }

        long start(int index) {
            return bounds[2 * index];
        }

        long end(int index) {
            return bounds[2 * index + 1];
        }
    }
}
