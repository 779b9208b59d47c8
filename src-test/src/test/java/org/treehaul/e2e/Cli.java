// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;
import org.treehaul.packaged.Installation;
import org.treehaul.packaged.Run;

/** Runs the packaged jar in a directory, in the C locale. */
public final class Cli {

    private final Path directory;
    private final boolean isInstalled;
    private final Map<String, String> variables;

    public Cli(Path directory) {
        this(directory, false, Map.of());
    }

    private Cli(Path directory, boolean isInstalled, Map<String, String> variables) {
        this.directory = directory;
        this.isInstalled = isInstalled;
        this.variables = variables;
    }

    /** Returns the same program with a home directory of its own, in which syncs leave files. */
    Cli withHome() {
        Path home = directory.resolve(".home");
        try {
            Files.createDirectory(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Cli(directory, isInstalled, Map.of("HOME", home.toString()));
    }

    /**
     * Returns a program of an installation, if this Java can make one, for all but {@link #run} and {@link #start}: its
     * jobs start in half the processor time.
     */
    public static Cli withJobs(Path directory) {
        return new Cli(directory, Installation.script().isPresent(), Map.of());
    }

    /** Runs treehaul. */
    public Run run(String... arguments) throws IOException, InterruptedException {
        return Run.of(treehaul(arguments));
    }

    /** Starts treehaul with pipes for its streams. */
    public Process start(String... arguments) throws IOException {
        return treehaul(arguments).start();
    }

    /**
     * Runs a shell script in which {@code $T} is treehaul. The script is a file, since Java cannot pass every byte as
     * an argument.
     */
    Run sh(String script) throws IOException, InterruptedException {
        return sh(script, isInstalled ? Installation.script().orElseThrow().toString() : String.join(" ", command()));
    }

    /** Runs a shell script in which {@code $T} is the treehaul of {@link WarmProgram}, one at a time. */
    public Run warmly(String script) throws IOException, InterruptedException {
        Run run = sh(WarmProgram.function(isInstalled) + script, "treehaul");
        // A test that expects a failure would see one.
        assertThat(run.err()).doesNotContain(WarmProgram.ENDED);
        return run;
    }

    /** Runs the treehaul of {@link WarmProgram}. */
    Run runWarmly(String... arguments) throws IOException, InterruptedException {
        return WarmProgram.run(isInstalled, directory, here(List.of("treehaul")).environment(), List.of(arguments));
    }

    private Run sh(String script, String treehaul) throws IOException, InterruptedException {
        Path file = Files.createTempFile("treehaul-e2e", ".sh");
        try {
            Files.writeString(file, script, StandardCharsets.ISO_8859_1);
            ProcessBuilder builder = here(List.of("sh", file.toString()));
            builder.environment().put("T", treehaul);
            return Run.of(builder);
        } finally {
            Files.delete(file);
        }
    }

    /** Waits until a started treehaul has written a text to standard error. */
    public static void awaitSaid(Process process, String text) throws IOException {
        StringBuilder said = new StringBuilder();
        while (said.indexOf(text) < 0) {
            int c = process.getErrorStream().read();
            assertThat(c).as("it ended: %s", said).isNotNegative();
            said.append((char) c);
        }
    }

    /** Waits until a started treehaul handles signals. */
    public static void awaitSignalHandlers(Process process) {
        // The last handler to be installed shows that all are: SigCgt of proc_pid_status(5), bit 27 for WINCH (28).
        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            List<String> status = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"),
                    StandardCharsets.ISO_8859_1);
            return status.stream()
                    .anyMatch(line -> line.startsWith("SigCgt:")
                            && (Long.parseUnsignedLong(line.substring(7).trim(), 16) >> 27 & 1) != 0);
        });
    }

    /** Sends a signal to a process. */
    public static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -s " + name + " " + process.pid()).start().waitFor()).isZero();
    }

    private static List<String> command(String... arguments) {
        return Run.command(List.of(), Run.JAR, (Object[]) arguments);
    }

    private ProcessBuilder treehaul(String... arguments) {
        return here(command(arguments));
    }

    private ProcessBuilder here(List<String> command) {
        ProcessBuilder builder = builder(command).directory(directory.toFile());
        builder.environment().putAll(variables);
        return builder;
    }

    static ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(Map.of("LC_ALL", "C", "TZ", "UTC"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder;
    }
}
