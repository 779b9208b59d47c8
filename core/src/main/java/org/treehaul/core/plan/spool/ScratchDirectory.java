// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.Host;

/**
 * A private directory for temporary files, in {@code TMPDIR} or else {@code /tmp}. It is removed when it is closed. A
 * process that was killed leaves it, and the next process of the same user on the same host that opens one with the
 * same prefix removes it.
 *
 * <p>
 * Any number of threads may use it. The files in it are removed with it; there must be no directories in it.
 */
public final class ScratchDirectory implements Closeable {

    private static final String VARIABLE = "TMPDIR";
    // Locks have no effect between hosts on some file systems, so each host removes only what is its own.
    private static final String LOCK = "lock-" + Host.nameOr("");
    // POSIX drops the locks on a file when the process closes any descriptor of it, so this process must not open its
    // own.
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private ScratchDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Creates a directory, and removes those that killed processes left.
     *
     * @param prefix the beginning of its name
     * @throws IOException if it cannot be created; the message names the path, the cause and the remedy
     */
    public static ScratchDirectory open(String prefix) throws IOException {
        Path parent = parent();
        try {
            return open(parent, prefix);
        } catch (IOException e) {
            throw explain(parent, e);
        }
    }

    /**
     * Does the same below a directory of the caller's choice.
     *
     * @throws IOException if it cannot be created; the message names no remedy
     */
    public static ScratchDirectory open(Path parent, String prefix) throws IOException {
        while (true) {
            Path path = PrivateFiles.makeTemporaryDirectory(parent, prefix);
            OWN.add(path);
            ScratchDirectory made = new ScratchDirectory(path, createLock(path));
            // Another process may have locked and removed it first.
            if (made.isLocked() && Files.exists(path.resolve(LOCK))) {
                removeOld(parent, prefix, Files.getOwner(path));
                return made;
            }
            made.close();
        }
    }

    private boolean isLocked() {
        try {
            return lock.tryLock() != null;
        } catch (IOException e) {
            // Without locks, as on some file systems, it stays after a kill, because others cannot lock it either.
            return true;
        }
    }

    /**
     * Returns an exception about a file in such a directory, whose message adds the remedy.
     *
     * @param e what happened while the file was written or read
     */
    public static IOException explain(IOException e) {
        return explain(parent(), e);
    }

    static IOException explain(Path parent, IOException e) {
        String text = PrivateFiles.describe(e);
        boolean hasPath = e instanceof FileSystemException system && system.getFile() != null;
        return new IOException((hasPath
                ? text
                : "temporary files in " + ByteString.of(parent.toString()) + ": " + PrivateFiles.reason(e)) + "; set "
                + VARIABLE + " to a directory with room for temporary files", e);
    }

    /**
     * Returns the directory for temporary files: {@code TMPDIR} or else {@code /tmp}.
     *
     * @throws IllegalArgumentException if TMPDIR is not a path in this locale
     */
    public static Path parent() {
        String value = System.getenv().getOrDefault(VARIABLE, "");
        return Path.of(value.isEmpty() ? "/tmp" : value);
    }

    /** Returns the directory. */
    public Path path() {
        return path;
    }

    private static FileChannel createLock(Path directory) throws IOException {
        try {
            return PrivateFiles.open(directory.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            Files.deleteIfExists(directory);
            OWN.remove(directory);
            throw e;
        }
    }

    private static void removeOld(Path parent, String prefix, UserPrincipal user) throws IOException {
        Set<Path> found = new HashSet<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(parent, prefix + "*")) {
            paths.forEach(found::add);
        } catch (DirectoryIteratorException | IOException e) {
            // A directory that cannot be listed can still be used.
            return;
        }
        found.removeAll(OWN);
        if (found.isEmpty()) {
            return;
        }
        // By names relative to open directories, because others may be able to replace what is in the parent.
        try (DirectoryStream<Path> in = Files.newDirectoryStream(parent)) {
            if (in instanceof SecureDirectoryStream<Path> directory) {
                for (Path path : found) {
                    removeIfLeft(directory, path.getFileName(), user);
                }
            }
        } catch (IOException e) {
            // The next process tries again.
        }
    }

    private static void removeIfLeft(SecureDirectoryStream<Path> parent, Path name, UserPrincipal user) {
        Path lockName = Path.of(LOCK);
        try (SecureDirectoryStream<Path> directory = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            if (!directory.getFileAttributeView(PosixFileAttributeView.class).getOwner().equals(user)) {
                return;
            }
            try (SeekableByteChannel channel = directory.newByteChannel(lockName,
                    Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                if (!(channel instanceof FileChannel file) || file.tryLock() == null) {
                    return;
                }
                for (Path entry : directory) {
                    if (!entry.getFileName().equals(lockName)) {
                        directory.deleteFile(entry.getFileName());
                    }
                }
                directory.deleteFile(lockName);
            }
            parent.deleteDirectory(name);
        } catch (DirectoryIteratorException | IOException e) {
            // It belongs to a process that runs, to another host or to another user.
        }
    }

    /** Removes the directory and the files in it. */
    @Override
    public void close() throws IOException {
        try (lock) {
            List<Path> files;
            try (Stream<Path> entries = Files.list(path)) {
                files = entries.toList();
            }
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (NoSuchFileException e) {
            // Another process has removed it: nothing is left to do.
        } finally {
            OWN.remove(path);
        }
    }
}
