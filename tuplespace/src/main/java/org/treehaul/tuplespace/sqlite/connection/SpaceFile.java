// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Uninterrupted;

/**
 * The file of a space: private to its owner, and refused if others could change it. See
 * {@link org.treehaul.tuplespace.store.DurableFiles} on its likeness to the private files of {@code core.state}.
 */
public final class SpaceFile {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceFile.class);
    private static final String NAME = "space.db";
    private static final Set<PosixFilePermission> PRIVATE_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PRIVATE_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    /** A process's directory in /proc belongs to its effective user. */
    static final Path EFFECTIVE_USER = Path.of("/proc/self");
    /** The write bits of a mode for group and others. */
    private static final int OTHERS_WRITE = 022;

    private SpaceFile() {}

    public static Path in(Path directory) {
        return directory.resolve(NAME);
    }

    /** Returns the size of a space with the files that SQLite keeps beside it, such as its log, in bytes. */
    public static long bytes(Path directory) {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, NAME + "*")) {
            for (Path file : files) {
                bytes += Files.size(file);
            }
            return bytes;
        } catch (IOException e) {
            throw failed(in(directory), e);
        } catch (DirectoryIteratorException e) {
            throw failed(in(directory), java.util.Objects.requireNonNull(e.getCause()));
        }
    }

    /** Returns the file of a space that is safe to open for writing: private to this user, and not empty. */
    public static Path requireSafe(Path directory) {
        Path file = in(directory);
        if (Files.isSymbolicLink(file) && !Files.exists(file)) {
            throw new SpaceException(Reason.IO, file + " is a dangling symbolic link");
        }
        requireOwn(directory);
        checkContent(file);
        return file;
    }

    /** Throws DAMAGED if a file is empty: it was truncated, or never was a space. */
    public static void checkContent(Path file) {
        try {
            if (Files.size(file) == 0) {
                throw new SpaceException(Reason.DAMAGED,
                        file + " is empty, which a space never is: its contents are lost. Restore it "
                                + "from a backup, or remove it to start again");
            }
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** Gives a file its final name; throws FileAlreadyExistsException if that name is taken. */
    public static void place(Path temporary, Path file) throws IOException {
        try {
            // A link instead of a rename, because it never replaces a space that another process has created.
            Files.createLink(file, temporary);
            Files.delete(temporary);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException noLinks) {
            LOG.debug("{}: no hard links on this file system: {}", file, noLinks.toString());
            rename(temporary, file);
        }
    }

    private static synchronized void rename(Path temporary, Path file) throws IOException {
        Path guard = file.resolveSibling(".making");
        Uninterrupted.run(() -> {
            try (FileChannel channel = FileChannel.open(guard,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PRIVATE_FILE)); FileLock lock = channel.lock()) {
                LOG.trace("locked {}", lock);
                if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new FileAlreadyExistsException(file.toString());
                }
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            }
        });
    }

    public static void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            try {
                Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PRIVATE_DIRECTORY));
                Files.setPosixFilePermissions(directory, PRIVATE_DIRECTORY);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(directory)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Checks by owner and mode that only this user can change a directory, and the space in it if there is one: a space
     * prepared by others would decide where and what SQLite writes. Follows symbolic links, as SQLite does: its log is
     * beside the target of the link.
     *
     * @throws SpaceException UNSAFE when others own them or can write to them
     */
    public static void requireOwn(Path directory) {
        Path file = in(directory);
        try {
            requireOwnPath(directory);
            if (Files.exists(file)) {
                Path real = file.toRealPath();
                requireOwnPath(Objects.requireNonNull(real.getParent()));
                requireOwnPath(real);
            }
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    private static void requireOwnPath(Path path) throws IOException {
        Map<String, Object> status = Files.readAttributes(path, "unix:uid,mode");
        Object self = Files.getAttribute(EFFECTIVE_USER, "unix:uid");
        int mode = ((Number) Objects.requireNonNull(status.get("mode"))).intValue() & 07777;
        String octal = Integer.toOctalString(mode);
        if (!self.equals(status.get("uid"))) {
            throw new SpaceException(Reason.UNSAFE,
                    path + " belongs to user " + status.get("uid") + " (mode " + octal + "), not to user " + self
                            + ", so the space is not opened for writing; work as its owner, or use a directory of "
                            + "your own");
        }
        if ((mode & OTHERS_WRITE) != 0) {
            throw new SpaceException(Reason.UNSAFE,
                    path + " is writable by others (mode " + octal + "), so the space is not opened for writing; "
                            + "if everything in it is yours: chmod go-w " + path);
        }
    }

    public static void makePrivate(Path file) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PRIVATE_FILE));
        // The umask may have removed some of these permissions.
        Files.setPosixFilePermissions(file, PRIVATE_FILE);
    }

    public static SpaceException failed(Path file, IOException e) {
        boolean isDenied = e instanceof AccessDeniedException;
        return new SpaceException(isDenied ? Reason.DENIED : Reason.IO, file + ": " + reason(e), e);
    }

    // The messages of some exceptions are only the path.
    private static String reason(IOException failure) {
        return switch (failure) {
            case AccessDeniedException e -> "Permission denied";
            case NoSuchFileException e -> "No such file or directory";
            case FileAlreadyExistsException e -> "File exists";
            case FileSystemException e when e.getReason() != null -> e.getReason();
            default -> failure.getMessage() == null ? "I/O error" : failure.getMessage();
        };
    }

    /** Returns whether a directory contains a space; throws DENIED if it may not be searched. */
    public static boolean exists(Path directory) {
        try {
            Files.readAttributes(in(directory), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (AccessDeniedException e) {
            throw new SpaceException(Reason.DENIED, "no permission to read " + directory, e);
        } catch (IOException none) {
            return false;
        }
    }
}
