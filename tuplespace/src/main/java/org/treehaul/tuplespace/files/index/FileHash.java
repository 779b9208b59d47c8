// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;

/** Hashes the data of files, as xxh128sum and sha256sum do. */
final class FileHash {

    private FileHash() {}

    /** Returns the length of a hash in bytes. */
    static int length(IndexOptions.Hash kind) {
        return kind == IndexOptions.Hash.XXH3 ? 16 : 32;
    }

    /**
     * Reads a file and returns the hash of its data; empty if the file has changed since it was seen, or was replaced,
     * or if the hash is no longer wanted.
     *
     * @param seen status of the file when it was seen
     * @param isWanted asked between reads: a large file may take hours
     */
    static Optional<ByteString> of(IndexOptions.Hash kind, FileAccess access, int directory, MemorySegment name,
            FileStatus seen, BooleanSupplier isWanted) throws SystemCallException {
        int flags = LinuxConstants.O_RDONLY | LinuxConstants.O_NOFOLLOW | LinuxConstants.O_NONBLOCK;
        // Reading for the index should not update the access time; O_NOATIME is permitted only to the owner.
        int descriptor = access.tryOpen(directory, name, flags | LinuxConstants.O_NOATIME, 0);
        if (descriptor == -Errno.EPERM) {
            descriptor = access.open(directory, name, flags, 0);
        }
        FileAccess.check("open", descriptor);
        try {
            if (!access.status(descriptor).isUnchangedSince(seen)) {
                return Optional.empty();
            }
            DataHash hash = kind == IndexOptions.Hash.XXH3 ? DataHash.xxh3() : DataHash.sha256();
            MemorySegment buffer = access.buffer();
            long count = access.readFully(descriptor, buffer);
            while (count > 0) {
                hash.update(buffer.asSlice(0, count));
                if (!isWanted.getAsBoolean()) {
                    return Optional.empty();
                }
                count = access.readFully(descriptor, buffer);
            }
            return access.status(descriptor).isUnchangedSince(seen)
                    ? Optional.of(ByteString.of(hash.finishAsPrinted()))
                    : Optional.empty();
        } finally {
            access.closeQuietly(descriptor);
        }
    }
}
