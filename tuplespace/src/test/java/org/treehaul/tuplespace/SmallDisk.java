// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file system of a few MiB in memory. */
final class SmallDisk implements AutoCloseable {
    private static final List<Integer> SIZES = List.of(1 << 20, 4096, 1);

    private final Path path;

    /** Mounts one at a path that does not exist; skips the test where that is impossible. */
    SmallDisk(Path path, int mebibytes) throws Exception {
        this.path = Files.createDirectory(path);
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", path.toString()) == 0,
                "a tmpfs cannot be mounted here (not root?)");
    }

    /** Runs a program, and returns its exit status; -1 if there is none. */
    static int run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException missing) {
            return -1;
        }
    }

    Path path() {
        return path;
    }

    /** Fills it to the last byte. */
    void fill() throws IOException {
        fill(path);
    }

    /** Fills the file system that is mounted at a path to the last byte. */
    static void fill(Path mount) throws IOException {
        for (int size : SIZES) {
            try (OutputStream filler = Files.newOutputStream(filler(mount, size))) {
                byte[] bytes = new byte[size];
                while (true) {
                    filler.write(bytes);
                }
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("No space left");
            }
        }
    }

    private static Path filler(Path mount, int size) {
        return mount.resolve("filler" + size);
    }

    /** Removes what filled it. */
    void empty() throws IOException {
        for (int size : SIZES) {
            Files.deleteIfExists(filler(path, size));
        }
    }

    void resize(int mebibytes) throws InterruptedException {
        assertThat(run("mount", "-o", "remount,size=" + mebibytes + "m", path.toString())).isZero();
    }

    @Override
    public void close() {
        try {
            // Lazily, because a test that has failed may have left files open.
            assertThat(run("umount", "-l", path.toString())).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
