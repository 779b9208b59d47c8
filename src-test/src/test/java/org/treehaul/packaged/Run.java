// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;

/**
 * A process that ran to its end.
 *
 * @param code its exit code, or 128 plus the number of the signal that killed it
 * @param out its standard output, one character for each byte
 * @param err its standard error, decoded as UTF-8
 */
public record Run(int code, String out, String err) {
    /** The jar that the build made. */
    public static final Path JAR = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.jar"), "run by mvn verify"));
    /** The root of the checkout. */
    static final Path ROOT = Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));
    /** The Java that runs the tests, which is new enough. */
    public static final Path JAVA = Path.of(System.getProperty("java.home"), "bin/java");

    /** An environment in which nothing but the Java of the tests is set. */
    static final Map<String, String> BARE = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME",
            JAVA.resolve("../..").toString());

    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=4");

    /**
     * A cache of the classes that treehaul loads, which the script records once: without it, a start takes three times
     * as much processor time.
     */
    private static final class Cache {
        static final Path FILE = JAR.resolveSibling("tests.aot");
        static final List<String> OPTIONS = options();

        private static List<String> options() {
            // Closing the file releases the lock.
            try (FileChannel lock = FileChannel.open(JAR.resolveSibling("tests.aot.lock"), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE)) {
                lock.lock();
                // The JVM would run the classes of the cache of another jar.
                if (!Files.exists(FILE) || !Files.getLastModifiedTime(FILE).equals(Files.getLastModifiedTime(JAR))) {
                    make();
                }
                // With -Xlog:disable a JVM that rejects the cache prints no warning.
                return List.of("-XX:AOTCache=" + FILE, "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0",
                        "-Xlog:disable");
            } catch (IOException e) {
                return List.of();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        private static void make() throws IOException, InterruptedException {
            Path fresh = Files.createTempDirectory(FILE.toAbsolutePath().getParent(), "tests");
            try {
                Path made = recordedIn(fresh, Map.of("JDK_JAVA_OPTIONS", String.join(" ", FLAGS)));
                Files.move(made, FILE, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                PathUtils.deleteDirectory(fresh);
            }
        }
    }

    /** Returns the cache of the classes of the jar, which has the time of the jar. */
    static Path cache() {
        assertThat(Cache.OPTIONS).as("a cache was recorded").isNotEmpty();
        return Cache.FILE;
    }

    /**
     * Makes a checkout with the jar and a few sources in an empty directory, and lets its script record a cache.
     *
     * @param environment further variables
     * @return the cache
     */
    static Path recordedIn(Path checkout, Map<String, String> environment) throws IOException, InterruptedException {
        Path target = Files.createDirectories(checkout.resolve("cli/target"));
        Files.createDirectories(checkout.resolve("core/src"));
        // The recording copies it, and finds it by its name and size.
        Files.writeString(Files.createDirectory(checkout.resolve("docs")).resolve("a.md"), "to copy\n".repeat(300));
        Files.copy(JAR, target.resolve("treehaul.jar"), StandardCopyOption.COPY_ATTRIBUTES);
        Map<String, String> all = new HashMap<>(BARE);
        all.putAll(environment);
        Path script = Files.copy(ROOT.resolve("treehaul"), checkout.resolve("treehaul"),
                StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(Run.of(all, script, "--version").expect(0).out()).startsWith("treehaul ");
        return cacheIn(target);
    }

    /** Returns the cache of classes in the directory of the jar of a checkout. */
    static Path cacheIn(Path target) throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(file -> file.toString().endsWith(".aot")).findFirst().orElseThrow();
        }
    }

    /** Returns a Java of this machine that is too old for TreeHaul, or skips the test if there is none. */
    static Path olderJava() throws IOException {
        List<Path> older = List.of();
        if (Files.isDirectory(Path.of("/usr/lib/jvm"))) {
            try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
                older = homes.sorted()
                        .map(home -> home.resolve("bin/java"))
                        .filter(Files::isExecutable)
                        .filter(java -> version(java) < 25)
                        .toList();
            }
        }
        assumeTrue(!older.isEmpty(), "no Java older than 25 in /usr/lib/jvm");
        return older.getFirst();
    }

    private static int version(Path java) {
        try {
            return Files.readAllLines(java.resolveSibling("../release"))
                    .stream()
                    .filter(line -> line.startsWith("JAVA_VERSION=\""))
                    .mapToInt(line -> Integer.parseInt(line.substring(14).split("[^0-9]", 2)[0]))
                    .findFirst()
                    .orElse(Integer.MAX_VALUE);
        } catch (IOException e) {
            return Integer.MAX_VALUE;
        }
    }

    /** Runs a command in the environment of the tests. */
    public static Run of(Object... command) throws IOException, InterruptedException {
        return of(System.getenv(), command);
    }

    /** Runs treehaul through a command such as {@code setpriv ...} that takes it as arguments. */
    public static Run treehaulBy(List<?> by, Object... arguments) throws IOException, InterruptedException {
        return of(command(by, JAR, arguments).toArray());
    }

    /**
     * Returns the command that runs treehaul from the jar or a {@link #copyOfJar}, through another one that takes it as
     * arguments.
     */
    public static List<String> command(List<?> by, Path jar, Object... arguments) {
        return command(by, List.of(), jar, arguments);
    }

    /**
     * Returns the command that runs a jar with other classes than that of the build, without the cache of its classes.
     */
    public static List<String> commandOfOtherJar(Path jar, Object... arguments) {
        return Stream.of(Stream.of(JAVA), FLAGS.stream(), Stream.of("-jar", jar), Stream.of(arguments))
                .flatMap(part -> part)
                .map(Object::toString)
                .toList();
    }

    /** Returns the command that runs treehaul with a heap such as {@code -Xmx24m}. */
    static List<String> commandWithHeap(String heap, Object... arguments) {
        return command(List.of(), List.of(heap), JAR, arguments);
    }

    private static List<String> command(List<?> by, List<String> flags, Path jar, Object... arguments) {
        return Stream
                .of(by.stream(), Stream.of(JAVA), FLAGS.stream(), flags.stream(), Cache.OPTIONS.stream(),
                        Stream.of("-jar", jar), Stream.of(arguments))
                .flatMap(part -> part)
                .map(Object::toString)
                .toList();
    }

    /** Returns the command that runs a class of a class path that begins with the jar. */
    static List<String> commandOf(List<?> classPath, String program, Object... arguments) {
        String path = classPath.stream().map(Object::toString).collect(Collectors.joining(File.pathSeparator));
        return Stream
                .of(Stream.of(JAVA), FLAGS.stream(), Cache.OPTIONS.stream(),
                        Stream.of("--enable-native-access=ALL-UNNAMED", "-cp", path, program), Stream.of(arguments))
                .flatMap(part -> part)
                .map(Object::toString)
                .toList();
    }

    /**
     * Copies the jar into a directory, for users who may not read that of the build. It keeps its name and its time, as
     * the cache of classes requires.
     */
    public static Path copyOfJar(Path directory) throws IOException {
        return Files.copy(JAR, directory.resolve(JAR.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** Runs treehaul. */
    public static Run treehaul(Object... arguments) throws IOException, InterruptedException {
        return treehaulBy(List.of(), arguments);
    }

    /** Runs a command with exactly this environment. */
    public static Run of(Map<String, String> environment, Object... command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return of(builder);
    }

    /** Runs a process to its end, without input. */
    public static Run of(ProcessBuilder builder) throws IOException, InterruptedException {
        Path err = Files.createTempFile("treehaul-run", ".err");
        try {
            Process process = builder.redirectError(err.toFile()).start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            int code = process.waitFor();
            return new Run(code, out, new String(Files.readAllBytes(err), StandardCharsets.UTF_8));
        } finally {
            Files.delete(err);
        }
    }

    /** Fails with all output if the exit code differs. */
    public Run expect(int expected) {
        assertThat(code).as("exit code; it printed: %s%s", out, err).isEqualTo(expected);
        return this;
    }

    static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
