// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.awaitility.Awaitility;

/** Runs the packaged jar in a directory, in the C locale. */
public final class Cli {

    private static final Path JAR = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.jar"), "run by mvn verify"));
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin/java");

    private final Path directory;

    /**
     * What a process said.
     *
     * @param code its exit code
     * @param out its standard output, a character for each byte
     * @param err its standard error as UTF-8
     */
    public record Result(int code, String out, String err) {

        public Result expect(int expected) {
            assertThat(code).as("exit code; it printed: %s%s", out, err).isEqualTo(expected);
            return this;
        }
    }

    public Cli(Path directory) {
        this.directory = directory;
    }

    static Path jar() {
        return JAR;
    }

    /** Runs treehaul. */
    public Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(arguments));
        return result(builder(command).start());
    }

    /** Starts treehaul with its streams as pipes. */
    public Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(arguments));
        return builder(command).start();
    }

    /**
     * Runs a script of the shell, in which {@code $T} is treehaul. A file holds it, since Java cannot pass every byte
     * as an argument.
     */
    Result sh(String script) throws IOException, InterruptedException {
        Path file = Files.createTempFile("treehaul-e2e", ".sh");
        try {
            Files.writeString(file, script, StandardCharsets.ISO_8859_1);
            ProcessBuilder builder = builder(List.of("sh", file.toString()));
            builder.environment().put("T", String.join(" ", java()));
            return result(builder.start());
        } finally {
            Files.delete(file);
        }
    }

    /** Waits until a started treehaul handles signals. */
    public static void awaitSignalHandlers(Process process) {
        // The last handler to be installed says that all are: SigCgt of proc_pid_status(5), bit 27 for WINCH (28).
        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            List<String> status = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"),
                    StandardCharsets.ISO_8859_1);
            return status.stream()
                    .anyMatch(line -> line.startsWith("SigCgt:")
                            && (Long.parseUnsignedLong(line.substring(7).trim(), 16) >> 27 & 1) != 0);
        });
    }

    /** Sends a process a signal. */
    public static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid()).start().waitFor()).isZero();
    }

    private static List<String> java() {
        return List.of(JAVA.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", JAR.toString());
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(Map.of("LC_ALL", "C", "TZ", "UTC"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder;
    }

    private static Result result(Process process) throws IOException, InterruptedException {
        process.getOutputStream().close();
        StringBuilder err = new StringBuilder();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                err.append(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                err.append(e);
            }
        });
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        reader.join();
        return new Result(process.waitFor(), out, err.toString());
    }
}
