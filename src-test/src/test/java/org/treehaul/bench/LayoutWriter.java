// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;

/** Makes the tree of a layout, on all cores. Files hold random data that do not compress. */
final class LayoutWriter {

    private static final int BLOCK = 1 << 20;
    /** Longer than a block, so that adjacent files begin at different offsets. */
    private static final int NOISE = BLOCK + (1 << 16);

    private final Layout layout;
    private final long seed;
    private final boolean isHollow;
    private final ByteBuffer noise = ByteBuffer.allocateDirect(NOISE);

    LayoutWriter(Layout layout, long seed) {
        this(layout, seed, false);
    }

    /**
     * Prepares to make a tree.
     *
     * @param isHollow whether each file is a single hole: it has a size, but no blocks. A planner counts the sizes of
     *        such files only if no file of the file system in the same tree has blocks, so not even one byte is
     *        written.
     */
    LayoutWriter(Layout layout, long seed, boolean isHollow) {
        this.layout = layout;
        this.seed = seed;
        this.isHollow = isHollow;
        byte[] bytes = new byte[NOISE];
        new Random(seed).nextBytes(bytes);
        noise.put(bytes).flip();
    }

    /** Makes the root and its content. After a failure a part of it exists. */
    void write(Path root) throws IOException {
        Files.createDirectories(root);
        for (int i = 0; i < layout.directories(); i++) {
            Files.createDirectory(root.resolve(layout.directory().apply(i)));
        }
        try {
            IntStream.range(0, layout.files()).parallel().forEach(i -> file(root, i));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void file(Path root, int number) {
        Path path = root.resolve(layout.file().apply(number));
        long size = layout.size().applyAsLong(number);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"); FileChannel out = file.getChannel()) {
            if (isHollow) {
                file.setLength(size);
                return;
            }
            for (long at = 0; at < size; at += BLOCK) {
                int length = (int) Math.min(BLOCK, size - at);
                int from = (int) Long.remainderUnsigned(Layouts.mix(seed + number, at), NOISE - BLOCK + 1L);
                ByteBuffer part = noise.slice(from, length);
                while (part.hasRemaining()) {
                    out.write(part);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
