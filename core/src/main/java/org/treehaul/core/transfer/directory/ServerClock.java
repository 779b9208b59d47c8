// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.AtomicFiles;

/**
 * Measures the age of files by the clock of the server that stores them: clocks of nodes may differ by more than a
 * heartbeat. Used by one thread.
 */
public final class ServerClock implements AutoCloseable {

    private static final AtomicLong NUMBER = new AtomicLong();

    private static final byte[] NOW = "now\n".getBytes(StandardCharsets.US_ASCII);

    private final Path probe;

    public ServerClock(Path directory) {
        this.probe = directory.resolve(
                ".now-" + ThisProcess.host() + "-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
    }

    /** Returns the current time of the server. */
    public FileTime now() throws IOException {
        PrivateFiles.write(probe, NOW);
        return Files.getLastModifiedTime(probe);
    }

    /**
     * Returns how long ago the newer of two files was written according to the server, regardless of cached attributes:
     * the method creates a hard link to each file, and the reply to that carries its attributes. Equals {@link #age} on
     * file systems without hard links.
     */
    public Optional<Duration> ageAtServer(Path file, Path other) throws IOException {
        FileTime now = now();
        Optional<FileTime> written = timeAtServer(file);
        Optional<FileTime> otherWritten = timeAtServer(other);
        return Stream.concat(written.stream(), otherWritten.stream())
                .max(Comparator.naturalOrder())
                .map(newer -> Duration.ofMillis(now.toMillis() - newer.toMillis()));
    }

    private static Optional<FileTime> timeAtServer(Path file) throws IOException {
        Path look = AtomicFiles.temporary(file);
        try {
            Files.createLink(look, file);
            return Optional.of(Files.getLastModifiedTime(look));
        } catch (UnsupportedOperationException | FileSystemException e) {
            return time(file);
        } finally {
            AtomicFiles.removeQuietly(look);
        }
    }

    /** Returns how long before a given time the newer of two files was written; empty if neither exists. */
    public static Optional<Duration> age(FileTime now, Path file, Path other) throws IOException {
        return newest(file, other).map(newer -> Duration.ofMillis(now.toMillis() - newer.toMillis()));
    }

    /** Returns when the newer of two files was written; empty if neither exists. */
    public static Optional<FileTime> newest(Path file, Path other) throws IOException {
        Optional<FileTime> written = time(file);
        Optional<FileTime> otherWritten = time(other);
        boolean isOther = otherWritten.isPresent()
                && (written.isEmpty() || otherWritten.get().compareTo(written.get()) > 0);
        return isOther ? otherWritten : written;
    }

    private static Optional<FileTime> time(Path file) throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(ServerView.fresh(file)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(probe);
    }
}
