// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemRoom;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/**
 * A temporary directory for one test, deleted on close with any content. JUnit's {@code @TempDir} fails to delete
 * hostile trees.
 */
public final class TestDirectory implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));
    private static final long TMPFS_MAGIC = 0x01021994L; // linux/magic.h

    // Each process has a directory of its own in each place: a copy with its parents takes the times of the directory
    // above all tests, and the tests of another process would change them.
    private static final Map<Path, Path> ABOVE = new ConcurrentHashMap<>();

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Path path;

    private TestDirectory(Path place) {
        try {
            path = Files.createDirectory(
                    ABOVE.computeIfAbsent(place, TestDirectory::above)
                            .resolve(Integer.toString(COUNT.incrementAndGet())),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Path above(Path place) {
        try {
            Path above = unused(place);
            // Some tests run programs as other users.
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(above)));
            return above;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    // Short, because the names of sockets, such as those of Slurm's steps, have at most 107 bytes (unix(7)).
    private static Path unused(Path place) throws IOException {
        String name = "treehaul-" + ProcessHandle.current().pid();
        for (int i = 0;; i++) {
            try {
                return Files.createDirectory(place.resolve(i == 0 ? name : name + "-" + i));
            } catch (FileAlreadyExistsException e) {
                // Left by a test that was interrupted, or used in another namespace of processes.
            }
        }
    }

    // A test that was interrupted leaves its files, and with them this directory.
    private static void remove(Path above) {
        try {
            Files.deleteIfExists(above);
        } catch (IOException e) {
            System.err.println("not removed: " + e);
        }
    }

    /** Creates a directory in the place for temporary files, usually on a disk. */
    public static TestDirectory make() {
        return new TestDirectory(TEMPORARY);
    }

    /** Creates a directory on a tmpfs; skips the test if there is none. */
    public static TestDirectory onTmpfs() {
        Assumptions.assumeTrue(isTmpfs(), SHARED_MEMORY + " is no writable tmpfs");
        return new TestDirectory(SHARED_MEMORY);
    }

    /**
     * Creates a directory on a tmpfs with enough room, or else in the place for temporary files; skips the test if
     * neither has it.
     *
     * @param bytes the bytes that the test needs at least
     * @param inodes the inodes that the test needs at least
     */
    public static TestDirectory onTmpfs(long bytes, long inodes) {
        if (place(bytes, inodes).equals(SHARED_MEMORY)) {
            return new TestDirectory(SHARED_MEMORY);
        }
        Assumptions.assumeTrue(hasRoom(TEMPORARY, bytes, inodes), "neither " + SHARED_MEMORY + " nor " + TEMPORARY
                + " has room for " + bytes + " bytes and " + inodes + " inodes");
        return make();
    }

    /** Returns a tmpfs with enough room, or else the place for temporary files. */
    public static Path place(long bytes, long inodes) {
        return isTmpfs() && hasRoom(SHARED_MEMORY, bytes, inodes) ? SHARED_MEMORY : TEMPORARY;
    }

    private static boolean isTmpfs() {
        Optional<FileSystemRoom> room = room(SHARED_MEMORY);
        return room.isPresent() && room.get().type() == TMPFS_MAGIC && Files.isWritable(SHARED_MEMORY);
    }

    private static boolean hasRoom(Path directory, long bytes, long inodes) {
        // A file system that reports no total has no limit.
        return room(directory).filter(room -> room.bytes() == 0 || room.availableBytes() >= bytes)
                .filter(room -> room.files() == 0 || room.freeFiles() >= inodes)
                .isPresent();
    }

    private static Optional<FileSystemRoom> room(Path directory) {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            byte[] name = directory.toString().getBytes(StandardCharsets.UTF_8);
            int descriptor = access.open(AT_FDCWD, access.name(name), O_PATH, 0);
            try {
                return Optional.of(access.room(descriptor));
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            return Optional.empty();
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

    /** Creates a directory in this one. */
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
