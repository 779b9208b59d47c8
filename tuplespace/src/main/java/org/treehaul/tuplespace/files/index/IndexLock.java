// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.fs.UnsafePathException;
import org.treehaul.core.state.Host;

/**
 * Ensures that only one process at a time indexes into a space. The kernel's lock ends with the process; the content of
 * the file only names the holder in the error message of another process.
 */
final class IndexLock {

    private static final Logger LOG = LoggerFactory.getLogger(IndexLock.class);
    private static final String FILE = "index.lock";
    private static final int LOOKS = 100;
    private static final long LOOK_MILLIS = 20;
    /**
     * The spaces locked by this process. It must not open their lock files again: closing any descriptor drops the
     * lock.
     */
    private static final Set<SpacePlace> HELD = ConcurrentHashMap.newKeySet();

    /** The work to do while the lock is held. */
    @FunctionalInterface
    interface Work<R> {
        R run() throws IndexException;
    }

    private IndexLock() {}

    /**
     * Runs work while it holds the lock of a space; creates the directory of the space if absent.
     *
     * @throws IndexException when another process, named in the message, holds the lock, or locking fails
     */
    static <R> R holding(Path space, Work<R> work) throws IndexException {
        try {
            return lockedBy(space, work);
        } catch (IndexException e) {
            throw e;
        } catch (AccessDeniedException e) {
            throw new IndexException("permission denied: " + e.getFile() + "; a space is private to its owner", e);
        } catch (ClosedByInterruptException e) {
            throw new IndexException("interrupted before the index was locked", e);
        } catch (IOException e) {
            throw new IndexException("the space " + space + " cannot be locked: " + PrivateFiles.describe(e)
                    + "; put it on a file system with locks, preferably a local disk", e);
        }
    }

    private static void makeDirectories(Path space) throws IndexException {
        try {
            PrivateFiles.makeDirectories(space);
        } catch (IOException e) {
            throw new IndexException("the space " + space + " cannot be created: " + PrivateFiles.describe(e), e);
        }
    }

    private static <R> R lockedBy(Path space, Work<R> work) throws IOException {
        if (!Files.isDirectory(space)) {
            makeDirectories(space);
        }
        try {
            // Checked before anything is written to the directory; the space itself is checked when it is opened.
            SafePath.requireOwnDirectory(space.toRealPath(), SafePath.WRITE);
        } catch (UnsafePathException e) {
            throw new IndexException(
                    "the space " + space + " is not opened for writing: " + e.getMessage() + "; or use another space",
                    e);
        }
        SpacePlace place = SpacePlace.of(space);
        if (!HELD.add(place)) {
            throw isHeld(space, "another thread of this process");
        }
        try (FileChannel channel = FileChannel.open(space.resolve(FILE),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            if (channel.tryLock() == null) {
                throw isHeld(space, read(channel));
            }
            writeHolder(channel);
            return work.run();
        } finally {
            HELD.remove(place);
        }
    }

    private static void writeHolder(FileChannel channel) throws IOException {
        String self = "process " + ProcessHandle.current().pid() + " on " + Host.name();
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(self.getBytes(StandardCharsets.ISO_8859_1)), 0);
        } catch (ClosedByInterruptException e) {
            // The lock is lost with its channel.
            throw e;
        } catch (IOException e) {
            // The lock holds without it. If the disk is full, the space says so, and entries can be removed from it.
            LOG.debug("the holder of the lock of an index is not noted: {}", e.toString());
        }
    }

    private static IndexException isHeld(Path space, String holder) {
        return new IndexException("the space " + space + " is being indexed by " + holder
                + "; wait until that has ended, or use another space");
    }

    // The holder writes its name just after taking the lock; if it died in between, the file has no name.
    private static String read(FileChannel channel) throws IOException {
        String holder = "";
        for (int i = 0; i < LOOKS && holder.isEmpty(); i++) {
            if (i > 0 && !sleep()) {
                break;
            }
            ByteBuffer text = ByteBuffer.allocate(200);
            channel.read(text, 0);
            holder = new String(text.array(), 0, text.position(), StandardCharsets.ISO_8859_1);
        }
        return holder.isEmpty() ? "another process" : holder.replaceAll("\\p{Cntrl}", "?");
    }

    private static boolean sleep() {
        try {
            Thread.sleep(LOOK_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
