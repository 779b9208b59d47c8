// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * Creates names of temporary files: {@code .treehaul-TRANSFER-ATTEMPT-NUMBER} in hexadecimal, 40 bytes at most,
 * independent of the file's own name. The transfer part is derived from sources and targets, so that a repeated command
 * recognizes its own leftovers; the attempt part is random, so that two simultaneous runs do not collide. Safe for any
 * number of threads.
 */
public final class TemporaryNames {

    private static final String MARK = ".treehaul-";
    private static final long START = 0xcbf29ce484222325L;

    /** The length of the shortest name: mark, transfer, attempt. */
    static final int LEAST_LENGTH = MARK.length() + 18;

    private final byte[] transferPrefix;
    private final String attemptPrefix;
    private final AtomicLong number = new AtomicLong();

    private TemporaryNames(String transfer) {
        transferPrefix = (MARK + transfer + "-").getBytes(StandardCharsets.US_ASCII);
        attemptPrefix = MARK + transfer + "-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt()) + "-";
    }

    /** Returns the names for one process that works on a transfer; other processes recognize them by the same id. */
    public static TemporaryNames ofTransfer(String id) {
        return new TemporaryNames(fold(mix(START, id.getBytes(StandardCharsets.UTF_8))));
    }

    public static TemporaryNames of(List<CopyPair> pairs) {
        long hash = START;
        for (CopyPair pair : pairs) {
            hash = mix(mix(hash, pair.source().path().toBytes()), pair.target().toBytes());
        }
        return new TemporaryNames(fold(hash));
    }

    private static String fold(long hash) {
        return HexFormat.of().toHexDigits((int) (hash ^ hash >>> 32));
    }

    // FNV-1a with 64 bits: it only has to distinguish one command of a user from another.
    private static long mix(long start, byte[] bytes) {
        long hash = start;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xFF)) * 0x100000001b3L;
        }
        return (hash ^ 0xFF) * 0x100000001b3L;
    }

    /** Returns the common prefix of all names of the transfer. */
    public String prefix() {
        return new String(transferPrefix, StandardCharsets.US_ASCII);
    }

    /** Returns a name that this copy has not used yet. */
    public byte[] next() {
        return (attemptPrefix + Long.toHexString(number.getAndIncrement())).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the name that the chunks of one version of a file share, the same on every node.
     *
     * @param root position of the pair
     */
    public ByteString shared(int root, TreePath path, SourceIdentity version) {
        byte[] text = (root + " " + version.inode() + " " + version.size() + " " + version.mtimeSeconds() + " "
                + version.mtimeNanos() + " " + version.ctimeSeconds() + " " + version.ctimeNanos())
                .getBytes(StandardCharsets.US_ASCII);
        String hash = HexFormat.of().toHexDigits(mix(mix(START, path.toBytes()), text));
        return ByteString.of(prefix() + hash);
    }

    /** Returns whether a name, as passed to a call, was returned by {@link #next()}: no other process uses it. */
    public boolean isFromHere(MemorySegment name) {
        byte[] prefix = attemptPrefix.getBytes(StandardCharsets.US_ASCII);
        return name.byteSize() > prefix.length
                && MemorySegment.mismatch(MemorySegment.ofArray(prefix), 0, prefix.length, name, 0, prefix.length) < 0;
    }

    /** Returns whether this command, in this run or an earlier one, gave a temporary file this name. */
    boolean isOurs(byte[] name) {
        return name.length > transferPrefix.length
                && Arrays.equals(transferPrefix, 0, transferPrefix.length, name, 0, transferPrefix.length);
    }
}
