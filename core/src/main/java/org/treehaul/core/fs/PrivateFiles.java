// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.entry.ByteString;

/**
 * Creates the files and directories that the program keeps for itself: with modes 0600 and 0700 whatever the umask,
 * because they contain names from directories that other users may not read, and commands that jobs run.
 */
public final class PrivateFiles {

    // The message of ProcessBuilder.start, which has only the number and the text of the error.
    private static final Pattern NOT_STARTED = Pattern.compile("Cannot run program \"(.*?)\".*\\berror[:=] ?(\\d+).*",
            Pattern.DOTALL);
    private static final Set<PosixFilePermission> RWX = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = PosixFilePermissions.asFileAttribute(RWX);
    private static final FileAttribute<Set<PosixFilePermission>> FILE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFiles() {}

    /** Creates a directory; fails if it exists. */
    public static void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, DIRECTORY);
    }

    /** Creates a directory and its missing parents. Existing directories stay unchanged. */
    public static void makeDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, DIRECTORY);
    }

    /**
     * Creates a directory, or accepts an existing one if only this user could have changed its content. An existing
     * directory is then closed to other users, who could read it until now.
     *
     * @throws UnsafePathException if it belongs to another user, or others can write to it
     */
    public static void keepDirectory(Path directory) throws IOException {
        try {
            makeDirectory(directory);
            return;
        } catch (FileAlreadyExistsException e) {
            // The directory exists, perhaps with a mode that came from the umask.
        }
        SafePath.requireOwnDirectory(directory, SafePath.WRITE);
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
        if (!RWX.containsAll(mode)) {
            mode.retainAll(RWX);
            Files.setPosixFilePermissions(directory, mode);
        }
    }

    /** Creates a directory with an unused name. */
    public static Path makeTemporaryDirectory(Path in, String prefix) throws IOException {
        return Files.createTempDirectory(in, prefix, DIRECTORY);
    }

    /** Creates a file with an unused name. */
    public static Path makeTemporaryFile(Path in, String prefix, String suffix) throws IOException {
        return Files.createTempFile(in, prefix, suffix, FILE);
    }

    /**
     * Removes a directory with all that is in it; one that does not exist is ignored. The calls for this of libraries
     * make classes when they run, which takes longer than removing a few files.
     */
    public static void removeDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                for (Path entry : entries) {
                    removeDirectory(entry);
                }
            } catch (DirectoryIteratorException e) {
                throw Objects.requireNonNull(e.getCause());
            }
        }
        Files.deleteIfExists(directory);
    }

    /** Creates an empty file; fails if it exists. */
    public static void makeFile(Path file) throws IOException {
        Files.createFile(file, FILE);
    }

    /** Opens a file like {@link FileChannel#open(Path, OpenOption...)}; a file that this creates is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), FILE);
    }

    /** Opens a file for writing from its beginning; its previous content is lost. */
    public static OutputStream rewrite(Path file) throws IOException {
        return Channels.newOutputStream(
                open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
    }

    /** Writes the whole content of a file; its previous content is lost. */
    public static void write(Path file, byte[] content) throws IOException {
        try (OutputStream out = rewrite(file)) {
            out.write(content);
        }
    }

    /**
     * Returns why an operation on a file failed, without the path, such as {@code Permission denied (EACCES)}. The
     * messages of some exceptions contain only the path.
     */
    public static String reason(IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> Errno.describe(Errno.ENOENT);
            case AccessDeniedException e -> Errno.describe(Errno.EACCES);
            case FileAlreadyExistsException e -> Errno.describe(Errno.EEXIST);
            case NotDirectoryException e -> Errno.describe(Errno.ENOTDIR);
            case DirectoryNotEmptyException e -> Errno.describe(Errno.ENOTEMPTY);
            case FileSystemException e when e.getReason() != null -> withSymbol(e.getReason());
            default -> ByteString.of(message(failure)).toString();
        };
    }

    private static String message(IOException failure) {
        if (failure.getMessage() == null) {
            return "I/O error";
        }
        Matcher start = NOT_STARTED.matcher(failure.getMessage());
        return start.matches()
                ? start.group(1) + ": " + Errno.describe(Integer.parseInt(start.group(2)))
                : withSymbol(failure.getMessage());
    }

    private static String withSymbol(String text) {
        int errno = ErrnoTable.parseText(text);
        return errno == 0 ? text : Errno.describe(errno);
    }

    /** Returns the message of an exception, or the description of its cause if it has no message of its own. */
    public static String describe(UncheckedIOException failure) {
        IOException cause = Objects.requireNonNull(failure.getCause());
        return failure.getMessage() == null || failure.getMessage().equals(cause.toString())
                ? describe(cause)
                : failure.getMessage();
    }

    /**
     * Returns why an operation on a file failed, after the path if the exception has one, or why a program could not be
     * started, after its name.
     */
    public static String describe(IOException failure) {
        return failure instanceof FileSystemException e && e.getFile() != null
                ? ByteString.of(e.getFile()) + ": " + reason(e)
                : message(failure);
    }
}
