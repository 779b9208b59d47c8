// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;

/**
 * An installation of the jar by {@code ./package}. All processes that run tests share it, because making it takes as
 * much processor time as 60 starts.
 */
public final class Installation {
    private static final Path JDK = Run.JAVA.resolve("../..").normalize();
    private static final Path PLACE = Run.JAR.resolveSibling("tests-installation");

    // The archives of classes then have no profiles of the compiler, which runs of some tenths of a second do not need.
    private static final Map<String, String> CHEAPLY = Map.of("JAVA_TOOL_OPTIONS",
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "GZIP", "-1");

    private static final class Shared {
        static final Optional<Path> SCRIPT = make();
    }

    private Installation() {}

    /** Returns the script that starts treehaul in the installation; empty if this Java cannot make one. */
    public static Optional<Path> script() {
        return Shared.SCRIPT;
    }

    /** Returns the archive that was unpacked. Call {@link #script} before. */
    public static Path archive() throws IOException {
        return onlyEntry(PLACE.resolve("packed"));
    }

    /** Makes a package with further options of {@code ./package}. */
    static void makePackage(Path output, List<?> options) throws IOException, InterruptedException {
        makePackage(Map.of(), output, options);
    }

    private static void makePackage(Map<String, String> further, Path output, List<?> options)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(
                Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", JDK.toString(), "SOURCE_DATE_EPOCH", "1700000000"));
        environment.putAll(further);
        Run.of(environment, Stream
                .concat(Stream.of(Run.ROOT.resolve("package"), "--jar", Run.JAR, "--output", output), options.stream())
                .toArray()).expect(0);
    }

    private static Optional<Path> make() {
        if (!Files.isExecutable(JDK.resolve("bin/jlink"))) {
            return Optional.empty();
        }
        // Closing the file releases the lock.
        try (FileChannel lock = FileChannel.open(PLACE.resolveSibling("tests-installation.lock"),
                StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            if (!isFresh()) {
                make(Files.createTempDirectory(PLACE.toAbsolutePath().getParent(), "tests"));
            }
            return Optional.of(onlyEntry(PLACE.resolve("unpacked")).resolve("bin/treehaul"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a package was made", e);
        }
    }

    private static void make(Path fresh) throws IOException, InterruptedException {
        try {
            Path packed = fresh.resolve("made/packed");
            makePackage(CHEAPLY, packed, List.of());
            Path unpacked = Files.createDirectory(fresh.resolve("made/unpacked"));
            Run.of("tar", "-xzf", onlyEntry(packed), "--no-same-owner", "-C", unpacked).expect(0);
            PathUtils.deleteDirectory(Files.createDirectories(PLACE));
            Files.move(fresh.resolve("made"), PLACE);
        } finally {
            PathUtils.deleteDirectory(fresh);
        }
    }

    private static boolean isFresh() throws IOException {
        if (!Files.isDirectory(PLACE)) {
            return false;
        }
        for (Path source : List.of(Run.JAR, Run.ROOT.resolve("package"), Run.ROOT.resolve("treehaul"))) {
            if (Files.getLastModifiedTime(source).compareTo(Files.getLastModifiedTime(PLACE)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Path onlyEntry(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            List<Path> all = entries.toList();
            if (all.size() != 1) {
                throw new IOException(directory + " contains " + all);
            }
            return all.getFirst();
        }
    }
}
