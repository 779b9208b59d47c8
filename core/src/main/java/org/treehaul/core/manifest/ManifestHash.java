// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.util.Optional;

import org.treehaul.core.copy.data.DataHash;

/** The hashes that a manifest can contain. The number of digits in a line determines which one it contains. */
public enum ManifestHash {
    /** SHA-256: lines that {@code sha256sum -c} reads. */
    SHA256(32),
    /**
     * The 128-bit XXH3 hash: lines that {@code xxhsum -c} reads. Finds damage, but is no protection against forgery.
     */
    XXH3(16);

    private final int bytes;

    ManifestHash(int bytes) {
        this.bytes = bytes;
    }

    /** Returns the length of the hash in bytes. */
    public int bytes() {
        return bytes;
    }

    static Optional<ManifestHash> ofLength(int bytes) {
        for (ManifestHash hash : values()) {
            if (hash.bytes == bytes) {
                return Optional.of(hash);
            }
        }
        return Optional.empty();
    }

    DataHash begin() {
        return this == SHA256 ? DataHash.sha256() : DataHash.xxh3();
    }
}
