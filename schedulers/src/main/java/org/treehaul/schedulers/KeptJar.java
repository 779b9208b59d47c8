// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

import org.apache.commons.io.IOUtils;
import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.transfer.directory.Listing;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;

/**
 * Keeps the jars that jobs run in the state directory: nodes can read it there, and jobs that wait in a queue run the
 * version that submitted them, even if another one is installed before they start.
 */
@Internal
public final class KeptJar {

    // A copy may be planned for hours before the transfer records the jar that its jobs start.
    private static final Duration YOUNG = Duration.ofDays(2);

    private KeptJar() {}

    /**
     * Returns the kept copy of the jar of TreeHaul, see {@link #keep(Path, Path, String)}.
     *
     * @throws TransferException if others can change the contents of the directory, or could until now
     */
    public static Path keep(Path state, Path jar) throws IOException {
        return keep(state, jar, "treehaul");
    }

    /**
     * Returns the kept copy of a jar, and makes it if it is missing. An existing copy is used only if the user owns it,
     * others cannot write to it, and its bytes are the same; otherwise it is replaced.
     *
     * @param state the state directory
     * @param name the first part of its name
     * @throws TransferException if others can change the contents of the directory, or could until now
     */
    public static Path keep(Path state, Path jar, String name) throws IOException {
        Path directory = StateDirectory.make(state).resolve("programs");
        StateDirectory.keepPart(directory);
        Path kept = directory.resolve(name + "-" + String.format("%08x", checksum(jar)) + ".jar");
        // An incomplete copy never has this name.
        if (Files.exists(kept, LinkOption.NOFOLLOW_LINKS) && SafePath.isOwnFile(kept)
                && PathUtils.fileContentEquals(kept, jar)) {
            // The new time keeps sweep() from removing the jar as unused before the transfer records it.
            Files.setLastModifiedTime(kept, FileTime.from(Instant.now()));
            return kept;
        }
        Path copy = PrivateFiles.makeTemporaryFile(directory, "new", ".jar");
        try {
            try (OutputStream out = PrivateFiles.rewrite(copy)) {
                Files.copy(jar, out);
            }
            AtomicFiles.rename(copy, kept);
        } finally {
            Files.deleteIfExists(copy);
        }
        return kept;
    }

    /**
     * Returns where a jar that was kept is now: the state directory may have been moved since.
     *
     * @param kept the path when it was kept
     * @return empty if it is missing
     */
    public static Optional<Path> find(Path state, Path kept) {
        return Stream.of(state.resolve("programs").resolve(kept.getFileName()), kept).filter(Files::exists).findFirst();
    }

    /**
     * Removes the kept jars that no transfer starts, except those kept less than two days ago.
     *
     * @param state the state directory
     * @param transfers the directories of all existing transfers
     */
    public static void sweep(Path state, Collection<Path> transfers) throws IOException {
        Path directory = state.resolve("programs");
        if (!Files.isDirectory(directory)) {
            return;
        }
        Set<Path> used = new HashSet<>();
        for (Path transfer : transfers) {
            Launch.allJars(transfer).forEach(jar -> used.add(jar.getFileName()));
        }
        Instant young = Instant.now().minus(YOUNG);
        try (Listing jars = Listing.of(directory, "*.jar")) {
            for (Path jar = jars.next(); jar != null; jar = jars.next()) {
                if (!used.contains(jar.getFileName()) && Files.getLastModifiedTime(jar).toInstant().isBefore(young)) {
                    Files.deleteIfExists(jar);
                }
            }
        }
    }

    private static long checksum(Path file) throws IOException {
        CRC32C checksum = new CRC32C();
        try (InputStream in = new CheckedInputStream(Files.newInputStream(file), checksum)) {
            IOUtils.consume(in);
        }
        return checksum.getValue();
    }
}
