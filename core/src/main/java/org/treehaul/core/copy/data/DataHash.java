// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.linux.LinuxXxh3;

/** A running hash of data in native memory. Not safe for several threads. */
public abstract sealed class DataHash {

    private DataHash() {}

    /** Returns a 128-bit XXH3 hash. */
    public static DataHash xxh3() {
        return systemProblem().isEmpty() ? new SystemXxh3() : javaXxh3();
    }

    /** Returns the same hash, computed in Java even where libxxhash is installed. */
    public static DataHash javaXxh3() {
        return new JavaXxh3();
    }

    /**
     * Returns why {@link #xxh3} is computed in Java; empty if the library libxxhash of this machine computes it, as
     * fast at the first call as at any later one.
     */
    public static Optional<String> systemProblem() {
        return LinuxXxh3.problem();
    }

    /** Returns a SHA-256 hash. */
    public static DataHash sha256() {
        return new Sha256();
    }

    /** Returns a hash of the kind in the options, or null if data are not verified. */
    public static @Nullable DataHash of(CopyOptions.Verify kind) {
        return switch (kind) {
            case NONE -> null;
            case XXH3 -> xxh3();
            case SHA256 -> sha256();
        };
    }

    /** Adds data, which must be in native memory. */
    public abstract void update(MemorySegment data);

    /** Returns the hash of the data added since the last call, and starts anew. */
    public abstract byte[] finish();

    /**
     * Does the same as {@link #finish}, with the bytes in the order in which {@code xxh128sum} and {@code sha256sum}
     * print them.
     */
    public byte[] finishAsPrinted() {
        return finish();
    }

    /** Discards the data added so far. */
    abstract void reset();

    /** Returns the hash of these data alone. */
    public byte[] ofWhole(MemorySegment data) {
        reset();
        update(data);
        return finish();
    }

    private abstract static sealed class Xxh3 extends DataHash {
        @Override
        public byte[] finishAsPrinted() {
            byte[] hash = finish();
            byte[] printed = new byte[hash.length];
            for (int i = 0; i < hash.length; i++) {
                printed[i] = hash[hash.length - 1 - i];
            }
            return printed;
        }
    }

    /** By a library of the machine, which needs no optimizing compiler to be fast. */
    private static final class SystemXxh3 extends Xxh3 {
        private final LinuxXxh3 hash = new LinuxXxh3();

        @Override
        public void update(MemorySegment data) {
            hash.update(data);
        }

        @Override
        public byte[] finish() {
            return hash.finish();
        }

        @Override
        void reset() {
            hash.reset();
        }

        @Override
        public byte[] ofWhole(MemorySegment data) {
            return hash.of(data);
        }
    }

    private static final class JavaXxh3 extends Xxh3 {
        private final Hasher128 hasher = Hashing.xxh3_128();
        private final HashStream128 stream = hasher.hashStream();

        // Hashing an array is nearly twice as fast as hashing native memory, and a copy within the cache is cheap.
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
        public byte[] finish() {
            HashValue128 value = stream.get();
            stream.reset();
            return value.toByteArray();
        }

        @Override
        void reset() {
            stream.reset();
        }

        // Hashing in one go takes less time, and in particular less code that must be compiled.
        @Override
        public byte[] ofWhole(MemorySegment data) {
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
        public byte[] finish() {
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
     * Ranges between the parts, up to the bounds, were holes in the source and must read as zeros.
     */
    public static final class Extents {
        /** The empty value: nothing to verify. */
        public static final Extents NONE = new Extents(0, 0);

        private final long from;
        private final long to;
        private long[] bounds = new long[4];
        private int used;
        private byte[] hash = {};

        public Extents(long from, long to) {
            this.from = from;
            this.to = to;
        }

        /** Returns the value as bytes, little-endian: the bounds, the number of parts, the parts, the hash. */
        public byte[] toBytes() {
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
         * Returns the value that {@link #toBytes} wrote.
         *
         * @throws IllegalArgumentException if the bytes are not such a value
         */
        public static Extents of(byte[] written) {
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

        public void add(long start, long end) {
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

        public void setHash(byte[] value) {
            hash = value;
        }

        boolean hasHash(byte[] value) {
            return MessageDigest.isEqual(hash, value);
        }

        public long from() {
            return from;
        }

        public long to() {
            return to;
        }

        public int count() {
            return used / 2;
        }

        public long start(int index) {
            return bounds[2 * index];
        }

        public long end(int index) {
            return bounds[2 * index + 1];
        }
    }
}
