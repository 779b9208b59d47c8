// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.apache.commons.io.file.PathUtils;

/**
 * The examples of the documentation, compiled against the packaged jar. They are compiled once in each process that
 * runs tests, because a start from a source file, as the pages show it, compiles it each time.
 */
public final class Examples {
    private static final Path SOURCES = Run.ROOT.resolve("docs/examples");

    private static final class Compiled {
        static final Path CLASSES = compile();

        private static Path compile() {
            try {
                Path classes = Files.createTempDirectory("treehaul-examples");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(classes), "end of the examples"));
                Examples.compile(classes, sources());
                return classes;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void remove(Path classes) {
            try {
                PathUtils.deleteDirectory(classes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Examples() {}

    /** Returns the source files of all examples that are one file. */
    static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    private static void compile(Path classes, List<Path> sources) {
        List<String> arguments = Stream
                .concat(Stream.of("-proc:none", "-cp", Run.JAR.toString(), "-d", classes.toString()),
                        sources.stream().map(Path::toString))
                .toList();
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    /**
     * Copies the classes of an example to a directory, and lists them as a service.
     *
     * @param example the name of the class, with those inside it
     * @param service the interface that it implements
     */
    public static void provide(Path directory, String example, String service) throws IOException {
        try (Stream<Path> classes = Files.list(Compiled.CLASSES)) {
            for (Path file : classes.toList()) {
                if (file.getFileName().toString().matches(example + "(\\$.*)?\\.class")) {
                    Files.copy(file, directory.resolve(file.getFileName()));
                }
            }
        }
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(service), example + "\n");
    }

    /** Returns the command that runs an example, with the driver of durable spaces, which embedders add. */
    static List<String> command(String example, Object... arguments) {
        String driver;
        try {
            driver = Class.forName("org.sqlite.JDBC").getProtectionDomain().getCodeSource().getLocation().getPath();
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return Run.commandOf(List.of(Run.JAR, Compiled.CLASSES, driver), example, arguments);
    }

    /** Runs an example. */
    static Run run(String example, Object... arguments) throws IOException, InterruptedException {
        return Run.of(command(example, arguments).toArray());
    }

    /** Runs an example from its source file. */
    static Run runSource(String example, Object... arguments) throws IOException, InterruptedException {
        return Run.of(Stream.concat(Stream.of(Run.JAVA, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "-cp", Run.JAR, SOURCES.resolve(example + ".java")),
                Stream.of(arguments)).toArray());
    }
}
