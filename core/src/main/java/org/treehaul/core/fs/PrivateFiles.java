// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Makes the files and directories that the program keeps for itself: 0600 and 0700 whatever the umask, as they hold
 * names from directories that others may not read, and what jobs run.
 */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> RWX = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY = PosixFilePermissions.asFileAttribute(RWX);
    private static final FileAttribute<Set<PosixFilePermission>> FILE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private PrivateFiles() {}

    /** Makes a directory; fails when it is there. */
    public static void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, DIRECTORY);
    }

    /** Makes a directory and those above it, where they are missing. One that is there stays as it is. */
    public static void makeDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, DIRECTORY);
    }

    /**
     * Makes a directory, or takes one that is there where only this user could have changed what is in it; that one is
     * closed to others, who could read it until now.
     *
     * @throws UnsafePathException when it belongs to another user, or others can write in it
     */
    public static void keepDirectory(Path directory) throws IOException {
        try {
            makeDirectory(directory);
            return;
        } catch (FileAlreadyExistsException e) {
            // Made before, perhaps by a program that left its mode to the umask.
        }
        SafePath.requireOwnDirectory(directory, SafePath.WRITE);
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
        if (!RWX.containsAll(mode)) {
            mode.retainAll(RWX);
            Files.setPosixFilePermissions(directory, mode);
        }
    }

    /** Makes a directory of a name that is free. */
    public static Path makeTemporaryDirectory(Path in, String prefix) throws IOException {
        return Files.createTempDirectory(in, prefix, DIRECTORY);
    }

    /** Makes a file of a name that is free. */
    public static Path makeTemporaryFile(Path in, String prefix, String suffix) throws IOException {
        return Files.createTempFile(in, prefix, suffix, FILE);
    }

    /** Makes an empty file; fails when it is there. */
    public static void makeFile(Path file) throws IOException {
        Files.createFile(file, FILE);
    }

    /** Opens a file as {@link FileChannel#open(Path, OpenOption...)} does; one that it makes is private. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), FILE);
    }

    /** Opens a file to be written from its beginning; what was in it is gone. */
    public static OutputStream rewrite(Path file) throws IOException {
        return Channels.newOutputStream(
                open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
    }

    /** Opens a file to be written on at its end. */
    public static OutputStream append(Path file) throws IOException {
        return Channels.newOutputStream(open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Writes all of a file; what was in it is gone. */
    public static void write(Path file, byte[] content) throws IOException {
        try (OutputStream out = rewrite(file)) {
            out.write(content);
        }
    }
}
