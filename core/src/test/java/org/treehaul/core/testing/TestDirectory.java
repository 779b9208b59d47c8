// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.STATFS_SIZE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

/**
 * A directory of a test's own, deleted on close whatever is in it. JUnit's {@code @TempDir} fails to delete hostile
 * trees.
 */
public final class TestDirectory implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long TMPFS_MAGIC = 0x01021994L; // linux/magic.h

    private final Path path;

    private TestDirectory(Path parent) {
        try {
            path = Files.createTempDirectory(parent, "treehaul-test");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Makes a directory where temporary files go, mostly a disk. */
    public static TestDirectory make() {
        return new TestDirectory(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Makes a directory on a tmpfs; skips the test where there is none. */
    public static TestDirectory onTmpfs() {
        Assumptions.assumeTrue(isTmpfs(), SHARED_MEMORY + " is no writable tmpfs");
        return new TestDirectory(SHARED_MEMORY);
    }

    private static boolean isTmpfs() {
        FileSystemCalls calls = Linux.calls();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(STATFS_SIZE, 8);
            int descriptor = calls.openat(AT_FDCWD, arena.allocateFrom(SHARED_MEMORY.toString()), O_PATH, 0);
            int error = calls.fstatfs(descriptor, result);
            calls.close(descriptor);
            return error == 0 && result.get(ValueLayout.JAVA_LONG, 0) == TMPFS_MAGIC && Files.isWritable(SHARED_MEMORY);
        }
    }

    /** Returns the directory. */
    public Path path() {
        return path;
    }

    /** Returns a path in the directory. */
    public Path resolve(String name) {
        return path.resolve(name);
    }

    /** Makes a directory in this one. */
    public Path directory(String name) {
        try {
            return Files.createDirectory(path.resolve(name));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        try {
            TreeRemoval.remove(Linux.calls(), path);
        } catch (IOException failure) {
            throw new UncheckedIOException(path.toString(), failure);
        }
    }
}
