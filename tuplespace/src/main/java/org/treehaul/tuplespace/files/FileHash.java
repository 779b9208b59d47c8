// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;

/** Hashes the data of files, as xxh128sum and sha256sum print it. */
final class FileHash {

    private FileHash() {}

    /** Returns the number of bytes of a hash. */
    static int length(IndexOptions.Hash kind) {
        return kind == IndexOptions.Hash.XXH3 ? 16 : 32;
    }

    /**
     * Reads a file and returns the hash of its data, or nothing when it is not the one that was seen.
     *
     * @param seen its status when it was seen
     */
    static Optional<ByteString> of(IndexOptions.Hash kind, FileAccess access, int directory, MemorySegment name,
            FileStatus seen) throws SystemCallException {
        int flags = LinuxConstants.O_RDONLY | LinuxConstants.O_NOFOLLOW | LinuxConstants.O_NONBLOCK;
        // To have been read for the index is no access that matters; but only the owner may say so.
        int descriptor = access.tryOpen(directory, name, flags | LinuxConstants.O_NOATIME, 0);
        if (descriptor == -Errno.EPERM) {
            descriptor = access.open(directory, name, flags, 0);
        }
        FileAccess.check("open", descriptor);
        try {
            if (!access.status(descriptor).isUnchangedSince(seen)) {
                return Optional.empty();
            }
            Running running = kind == IndexOptions.Hash.XXH3 ? new Xxh3() : new Sha256();
            MemorySegment buffer = access.buffer();
            byte[] piece = new byte[(int) buffer.byteSize()];
            long count = access.readFully(descriptor, buffer);
            while (count > 0) {
                MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, piece, 0, (int) count);
                running.update(piece, (int) count);
                count = access.readFully(descriptor, buffer);
            }
            return access.status(descriptor).isUnchangedSince(seen)
                    ? Optional.of(ByteString.of(running.finish()))
                    : Optional.empty();
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private interface Running {
        void update(byte[] bytes, int length);

        byte[] finish();
    }

    private static final class Xxh3 implements Running {
        private final HashStream128 stream = Hashing.xxh3_128().hashStream();

        @Override
        public void update(byte[] bytes, int length) {
            stream.putBytes(bytes, 0, length);
        }

        @Override
        public byte[] finish() {
            HashValue128 value = stream.get();
            return ByteBuffer.allocate(16)
                    .putLong(value.getMostSignificantBits())
                    .putLong(value.getLeastSignificantBits())
                    .array();
        }
    }

    private static final class Sha256 implements Running {
        private final MessageDigest digest;

        Sha256() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        @Override
        public void update(byte[] bytes, int length) {
            digest.update(bytes, 0, length);
        }

        @Override
        public byte[] finish() {
            return digest.digest();
        }
    }
}
