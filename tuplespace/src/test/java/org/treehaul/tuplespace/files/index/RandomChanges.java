// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Changes trees at random: the same tree and the same numbers make the same changes. */
final class RandomChanges {

    private RandomChanges() {}

    /** Makes {@code changes} changes below a directory. */
    static void make(Path root, Random random, int changes) throws IOException {
        for (int i = 0; i < changes; i++) {
            List<Path> entries = list(root);
            Path path = entries.get(random.nextInt(entries.size()));
            Path directory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                    ? path
                    : path.resolveSibling("").normalize();
            Path fresh = directory.resolve("n" + random.nextInt(1_000_000));
            if (Files.exists(fresh, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            boolean isFile = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
            switch (random.nextInt(8)) {
                case 0 -> Files.write(fresh, new byte[random.nextInt(9000)]);
                case 1 -> Files.createDirectories(fresh.resolve("sub"));
                case 2 -> Files.createSymbolicLink(fresh, path);
                case 3 -> remove(root, path);
                case 4 -> {
                    if (!path.equals(root) && !fresh.startsWith(path)) {
                        Files.move(path, fresh);
                    }
                }
                case 5 -> {
                    if (isFile) {
                        Files.write(path, ByteBuffer.allocate(8).putLong(random.nextLong()).array(),
                                StandardOpenOption.APPEND);
                    }
                }
                case 6 -> {
                    if (isFile) {
                        Files.setLastModifiedTime(path, FileTime.fromMillis(random.nextInt()));
                    }
                }
                default -> {
                    if (isFile) {
                        Files.createLink(fresh, path);
                    } else if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                        // Replaces the entry by one of another kind with the same name.
                        Files.delete(path);
                        Files.createDirectory(path);
                    }
                }
            }
        }
    }

    private static List<Path> list(Path root) throws IOException {
        List<Path> entries = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                entries.add(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                entries.add(file);
                return FileVisitResult.CONTINUE;
            }
        });
        // The file system decides the order of a listing.
        entries.sort(null);
        return entries;
    }

    private static void remove(Path root, Path path) throws IOException {
        if (path.equals(root)) {
            return;
        }
        List<Path> all = list(path);
        for (Path entry : all.reversed()) {
            Files.delete(entry);
        }
    }
}
