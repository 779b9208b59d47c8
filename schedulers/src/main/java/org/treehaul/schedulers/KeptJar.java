// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

import org.apache.commons.io.IOUtils;
import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.transfer.Listing;
import org.treehaul.core.transfer.StateDirectory;
import org.treehaul.core.transfer.TransferException;

/**
 * Keeps the jar that jobs run in the state directory: nodes see it there, and jobs that wait in a queue run the program
 * that submitted them, whatever is installed meanwhile.
 */
public final class KeptJar {

    // A copy may be planned for hours before it is written down what its jobs start.
    private static final Duration YOUNG = Duration.ofDays(2);

    private KeptJar() {}

    /**
     * Returns the kept copy of a jar, made now unless it is there. One that is there is taken only where it is the
     * user's own, others cannot write to it, and it holds the same bytes; else it is replaced.
     *
     * @param state the state directory
     * @throws TransferException when others can change what is in the directory, or could until now
     */
    public static Path keep(Path state, Path jar) throws IOException {
        Path directory = StateDirectory.make(state).resolve("programs");
        StateDirectory.keepPart(directory);
        Path kept = directory.resolve("treehaul-" + String.format("%08x", checksum(jar)) + ".jar");
        // A part of one never has this name.
        if (Files.exists(kept, LinkOption.NOFOLLOW_LINKS) && SafePath.isOwnFile(kept)
                && PathUtils.fileContentEquals(kept, jar)) {
            // So that nobody takes it for one that is not used before the transfer says so.
            Files.setLastModifiedTime(kept, FileTime.from(Instant.now()));
            return kept;
        }
        Path copy = PrivateFiles.makeTemporaryFile(directory, "new", ".jar");
        try {
            try (OutputStream out = PrivateFiles.rewrite(copy)) {
                Files.copy(jar, out);
            }
            Files.move(copy, kept, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(copy);
        }
        return kept;
    }

    /**
     * Removes the kept jars that no transfer starts, unless they were kept a short while ago.
     *
     * @param state the state directory
     * @param transfers the directories of all transfers there are
     */
    public static void sweep(Path state, Collection<Path> transfers) throws IOException {
        Path directory = state.resolve("programs");
        if (!Files.isDirectory(directory)) {
            return;
        }
        Set<Path> used = new HashSet<>();
        for (Path transfer : transfers) {
            Launch.jar(transfer).ifPresent(jar -> used.add(jar.getFileName()));
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
