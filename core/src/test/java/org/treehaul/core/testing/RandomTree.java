// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * Creates random trees for property tests: the same seed gives the same tree. Contains everything that an ordinary user
 * may create, readable by its owner.
 */
public final class RandomTree {

    private static final int[] EDGE_SIZES = {1, 4095, 4096, 4097, FileAccess.BUFFER_BYTES - 1, FileAccess.BUFFER_BYTES,
            FileAccess.BUFFER_BYTES + 1, 2 * FileAccess.BUFFER_BYTES + 3};
    private static final long EARLIEST = -2_000_000_000L;
    private static final long LATEST = 4_200_000_000L;

    private final Random random;
    private final TreeWriter writer;
    private final Set<ByteString> used = new HashSet<>();
    private final List<ByteString> directories = new ArrayList<>(List.of(ByteString.empty()));
    private final List<ByteString> files = new ArrayList<>();

    private RandomTree(TreeWriter writer, long seed) {
        this.writer = writer;
        this.random = new Random(seed);
    }

    /** Creates a tree with this many entries in a directory. */
    public static void make(FileSystemCalls calls, Path root, long seed, int entries) {
        try (TreeWriter writer = TreeWriter.in(calls, root)) {
            RandomTree tree = new RandomTree(writer, seed);
            for (int i = 0; i < entries; i++) {
                tree.makeOne();
            }
            tree.finishDirectories();
        }
    }

    private void makeOne() {
        ByteString path = newPath();
        int kind = random.nextInt(100);
        if (kind < 25) {
            writer.directory(path);
            directories.add(path);
        } else if (kind < 75) {
            makeFile(path);
        } else if (kind < 85 && !files.isEmpty()) {
            writer.hardLink(files.get(random.nextInt(files.size())), path);
        } else if (kind < 95) {
            writer.symlink(path, target()).times(path, time());
        } else {
            writer.special(path, kind < 98 ? EntryKind.FIFO : EntryKind.SOCKET, 0).times(path, time());
        }
    }

    private void makeFile(ByteString path) {
        int size = switch (random.nextInt(10)) {
            case 0, 1 -> 0;
            case 2 -> EDGE_SIZES[random.nextInt(EDGE_SIZES.length)];
            default -> random.nextInt(random.nextInt(10) == 0 ? 500_000 : 5_000);
        };
        if (random.nextInt(10) == 0) {
            long sparseSize = 200_000L + random.nextInt(2_000_000);
            writer.sparse(path, sparseSize, sparseSize / 3, sparseSize / 2);
        } else {
            writer.file(path, size, random.nextLong());
        }
        // Readable by its owner; with set-id bits in some cases.
        int special = random.nextInt(10) == 0 ? 07000 : 0;
        writer.mode(path, 0400 | random.nextInt(01000) | special & random.nextInt(010000)).times(path, time());
        files.add(path);
    }

    private void finishDirectories() {
        for (ByteString directory : directories.subList(1, directories.size())) {
            if (random.nextBoolean()) {
                writer.mode(directory, 0500 | random.nextInt(01000));
            }
            writer.times(directory, time());
        }
    }

    private Timestamp time() {
        return new Timestamp(random.nextLong(EARLIEST, LATEST), random.nextInt(1_000_000_000));
    }

    // Half of the entries go to the newest directories, which makes deep trees; the rest anywhere, which makes wide
    // ones.
    private ByteString newPath() {
        while (true) {
            int size = directories.size();
            int at = random.nextBoolean() ? random.nextInt(size) : size - 1 - random.nextInt(Math.min(3, size));
            ByteString path = Names.join(directories.get(at), name());
            if (used.add(path)) {
                return path;
            }
        }
    }

    private ByteString name() {
        if (random.nextInt(8) == 0) {
            return Names.hostile().get(random.nextInt(Names.hostile().size()));
        }
        byte[] name = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 255 : 12)];
        boolean isAnything = random.nextInt(5) == 0;
        for (int i = 0; i < name.length; i++) {
            int b = isAnything ? 1 + random.nextInt(255) : 'a' + random.nextInt(26);
            name[i] = (byte) (b == '/' ? 'S' : b);
        }
        if (name[0] == '.') {
            name[0] = 'd'; // neither . nor ..
        }
        return ByteString.of(name);
    }

    private ByteString target() {
        return switch (random.nextInt(4)) {
            case 0 -> ByteString.of(".");
            case 1 -> directories.get(random.nextInt(directories.size())).length() == 0
                    ? ByteString.of("..")
                    : directories.get(random.nextInt(1, directories.size()));
            case 2 -> ByteString.of("../" + random.nextInt());
            default -> name();
        };
    }
}
