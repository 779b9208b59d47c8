// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

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

    private static final String PROGRAMS = "programs";

    // A copy may be planned for hours before the transfer records the jar that its jobs start.
    private static final Duration YOUNG = Duration.ofDays(2);

    // Room for so many caches must be free, so that one does not take the room of journals.
    private static final int LEAST_CACHES = 4;

    private static final int READ_BYTES = 1 << 18;

    private KeptJar() {}

    /**
     * Returns the kept copy of the jar of TreeHaul, and makes it if it is missing. An existing copy is used only if the
     * user owns it, others cannot write to it, and its size and checksum are the same; otherwise it is replaced. If the
     * script {@code treehaul} has made a cache of loaded classes for the jar, it is kept beside the copy, so that jobs
     * start as fast as the command.
     *
     * @param state the state directory
     * @throws TransferException if others can change the contents of the directory, or could until now
     */
    public static Path keep(Path state, Path jar) throws IOException {
        Path programs = StateDirectory.make(state).resolve(PROGRAMS);
        StateDirectory.keepPart(programs);
        String checksum = checksum(jar);
        Path directory = programs.resolve("treehaul-" + checksum);
        StateDirectory.keepPart(directory);
        // The new time keeps sweep() from removing the directory as unused before the transfer records the jar.
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now()));
        Path kept = directory.resolve("treehaul.jar");
        Path keptCache = directory.resolve(cacheName());
        FileTime time = Files.getLastModifiedTime(jar);
        if (!isKept(kept, jar, checksum)) {
            copy(jar, kept, time);
            Files.deleteIfExists(keptCache);
        }
        Path cache = jar.resolveSibling(cacheName());
        // The script leaves an empty file where no cache could be made.
        boolean isMade = Files.isRegularFile(cache) && Files.size(cache) > 0
                && Files.getLastModifiedTime(cache).equals(time);
        // Neither is replaced: over NFS, a job on another host would lose a file that it reads.
        if (isMade && !(Files.exists(keptCache, LinkOption.NOFOLLOW_LINKS) && SafePath.isOwnFile(keptCache))) {
            // The script gives a cache the time of its jar, because the JVM would run the classes of any other.
            Files.setLastModifiedTime(kept, time);
            keepCache(cache, keptCache);
        }
        return kept;
    }

    private static String cacheName() {
        return "treehaul-" + System.getProperty("java.version") + ".aot";
    }

    private static void keepCache(Path cache, Path kept) throws IOException {
        long free = Files.getFileStore(Objects.requireNonNull(kept.getParent())).getUsableSpace();
        if (free / LEAST_CACHES < Files.size(cache)) {
            return;
        }
        try {
            copy(cache, kept, Files.getLastModifiedTime(cache));
        } catch (IOException e) {
            // Jobs start without it, too, only not as fast. The copy is removed.
            return;
        }
    }

    /**
     * Returns the kept copy of a jar, and makes it if it is missing. An existing copy is used only if the user owns it,
     * others cannot write to it, and its size and checksum are the same; otherwise it is replaced.
     *
     * @param state the state directory
     * @param name the first part of its name
     * @throws TransferException if others can change the contents of the directory, or could until now
     */
    public static Path keep(Path state, Path jar, String name) throws IOException {
        Path directory = StateDirectory.make(state).resolve(PROGRAMS);
        StateDirectory.keepPart(directory);
        String checksum = checksum(jar);
        Path kept = directory.resolve(name + "-" + checksum + ".jar");
        FileTime now = FileTime.from(Instant.now());
        if (isKept(kept, jar, checksum)) {
            Files.setLastModifiedTime(kept, now);
        } else {
            copy(jar, kept, now);
        }
        return kept;
    }

    // An incomplete copy never has its final name.
    private static boolean isKept(Path kept, Path jar, String checksum) throws IOException {
        return Files.exists(kept, LinkOption.NOFOLLOW_LINKS) && SafePath.isOwnFile(kept)
                && Files.size(kept) == Files.size(jar) && checksum(kept).equals(checksum);
    }

    private static void copy(Path file, Path kept, FileTime time) throws IOException {
        Path copy = PrivateFiles.makeTemporaryFile(Objects.requireNonNull(kept.getParent()), "new", ".part");
        try {
            try (OutputStream out = PrivateFiles.rewrite(copy)) {
                Files.copy(file, out);
            }
            Files.setLastModifiedTime(copy, time);
            AtomicFiles.rename(copy, kept);
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    /**
     * Returns where a jar that was kept is now: the state directory may have been moved since.
     *
     * @param kept the path when it was kept
     * @return empty if it is missing
     */
    public static Optional<Path> find(Path state, Path kept) {
        Path programs = state.resolve(PROGRAMS);
        Path inDirectory = programs.resolve(Objects.requireNonNull(kept.getParent()).getFileName())
                .resolve(kept.getFileName());
        return Stream.of(programs.resolve(kept.getFileName()), inDirectory, kept).filter(Files::exists).findFirst();
    }

    /**
     * Removes the kept jars that no transfer starts, except those kept less than two days ago.
     *
     * @param state the state directory
     * @param transfers the directories of all existing transfers
     */
    public static void sweep(Path state, Collection<Path> transfers) throws IOException {
        Path programs = state.resolve(PROGRAMS);
        if (!Files.isDirectory(programs)) {
            return;
        }
        Set<Path> used = new HashSet<>();
        for (Path transfer : transfers) {
            for (Path jar : Launch.allJars(transfer)) {
                used.add(jar.getFileName());
                used.add(Objects.requireNonNull(jar.getParent()).getFileName());
            }
        }
        Instant young = Instant.now().minus(YOUNG);
        try (Listing all = Listing.of(programs, "*")) {
            for (Path kept = all.next(); kept != null; kept = all.next()) {
                if (!used.contains(kept.getFileName()) && Files.getLastModifiedTime(kept).toInstant().isBefore(young)) {
                    PathUtils.delete(kept);
                }
            }
        }
    }

    // Each submission reads both jars: the JVM has an instruction for this checksum even before it has compiled anything.
    private static String checksum(Path file) throws IOException {
        CRC32C checksum = new CRC32C();
        ByteBuffer part = ByteBuffer.allocateDirect(READ_BYTES);
        try (FileChannel in = FileChannel.open(file)) {
            while (in.read(part.clear()) >= 0) {
                checksum.update(part.flip());
            }
        }
        return HexFormat.of().toHexDigits((int) checksum.getValue());
    }
}
