// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.cli.StartOfJava;
import org.treehaul.packaged.Installation;
import org.treehaul.packaged.Run;

/**
 * The packaged program in one process that runs one command after another, for tests of hundreds of command lines: a
 * process for each would take 40 times as much processor time. Not for tests of what belongs to a process: signals, its
 * user, its time zone, options of the JVM, and two commands at a time.
 *
 * <p>
 * A command and its outcome are in files of a directory: {@code args} and {@code env} (each word with a NUL after it),
 * {@code cwd}, {@code umask}, {@code in}, {@code out} and {@code err}. Two pipes carry the turns: {@code go} begins a
 * command, and {@code done} gets its exit code.
 */
public final class WarmProgram {

    private static final class OfJar {
        static final WarmProgram PROGRAM = new WarmProgram(Run.JAR, List.of());
    }

    private static final class OfInstallation {
        static final WarmProgram PROGRAM = of(Installation.script().orElseThrow().resolveSibling("../lib/treehaul"));

        private static WarmProgram of(Path home) {
            return new WarmProgram(home.resolve("treehaul.jar").normalize(),
                    List.of(home.resolve("runtime").normalize()));
        }
    }

    /** The message of a command that is called after the program has ended. */
    static final String ENDED = "the warm program has ended";

    private final Path exchange;

    /** Starts the program of a jar; jobs use the Java in another place if one is given. */
    private WarmProgram(Path jar, List<Path> java) {
        try {
            exchange = Files.createTempDirectory("treehaul-warm");
            Run.of("mkfifo", exchange.resolve("go"), exchange.resolve("done")).expect(0);
            List<String> command = new ArrayList<>(Run.command(List.of(), jar, exchange));
            java.forEach(home -> command.add(home.toString()));
            // In place of "-jar JAR".
            int at = command.indexOf("-jar");
            Path tests = Path.of(WarmProgram.class.getProtectionDomain().getCodeSource().getLocation().getPath());
            command.subList(at, at + 2).clear();
            command.addAll(at, List.of("--enable-native-access=ALL-UNNAMED", "-cp", jar + ":" + tests,
                    "org.treehaul.cli.ManyCommands"));
            command.addAll(at, StartOfJava.OPTIONS);
            ProcessBuilder builder = Cli.builder(command).redirectErrorStream(true);
            if (!java.isEmpty()) {
                // The JVM reads the locale when it starts; this is the one of the commands.
                builder.environment().put("LC_ALL", "C.UTF-8");
            }
            Process process = builder.redirectOutput(exchange.resolve("log").toFile()).start();
            var _ = process.onExit().thenRun(this::answerForIt);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process), "end of the warm program"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the program was started", e);
        }
    }

    /** Lets commands fail, instead of waiting forever, after the process has ended. */
    private void answerForIt() {
        String log = read("log");
        Thread.ofPlatform().daemon().start(() -> {
            while (Files.exists(exchange)) {
                read("go");
            }
        });
        // Opening the pipe waits until a test reads it.
        Thread.ofPlatform().daemon().start(() -> {
            while (Files.exists(exchange)) {
                write("done", ENDED + ": " + log);
            }
        });
    }

    private String read(String name) {
        try {
            return Files.readString(exchange.resolve(name));
        } catch (IOException e) {
            // The tests have ended, and the directory is removed.
            return "";
        }
    }

    private void write(String name, String text) {
        try {
            Files.writeString(exchange.resolve(name), text, StandardOpenOption.WRITE);
        } catch (IOException e) {
            // As above.
        }
    }

    private void end(Process process) {
        process.destroyForcibly();
        try {
            PathUtils.deleteDirectory(exchange);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static WarmProgram program(boolean isInstalled) {
        return isInstalled ? OfInstallation.PROGRAM : OfJar.PROGRAM;
    }

    /** Returns the definition of a shell function {@code treehaul} that runs a command, for a script. */
    static String function(boolean isInstalled) {
        return """
                treehaul() {
                    pwd -P > '%1$s/cwd' && umask > '%1$s/umask' && cat > '%1$s/in' || return 99
                    : > '%1$s/args'
                    [ $# = 0 ] || printf '%%s\\000' "$@" > '%1$s/args'
                    env -0 > '%1$s/env'
                    echo > '%1$s/go'
                    read -r code < '%1$s/done'
                    case $code in
                    *[!0-9]* | '')
                        echo "$code" >&2
                        return 99 ;;
                    esac
                    cat '%1$s/out'
                    cat '%1$s/err' >&2
                    return "$code"
                }
                """.formatted(program(isInstalled).exchange);
    }

    /**
     * Returns a script that runs a command as {@link #installed} does, in its own working directory and environment.
     */
    public static Path installedScript() throws IOException {
        Path script = OfInstallation.PROGRAM.exchange.resolve("treehaul");
        if (!Files.exists(script)) {
            Files.writeString(script, "#!/bin/sh\n" + function(true) + "treehaul \"$@\"\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        }
        return script;
    }

    /** Runs a command in a directory, in the environment of {@link Cli}, without input. */
    public static Run run(Path directory, String... arguments) throws IOException {
        return run(false, directory, Cli.builder(List.of("treehaul")).environment(), List.of(arguments));
    }

    /**
     * Runs a command in a directory, without input.
     *
     * @param isInstalled whether it is the program of {@link Installation#script}
     * @param environment all its variables
     */
    static Run run(boolean isInstalled, Path directory, Map<String, String> environment, List<String> arguments)
            throws IOException {
        return program(isInstalled).run(directory, environment, arguments);
    }

    /**
     * Runs a command as {@link Installation#script} does, in the working directory of this process, without input.
     *
     * @param environment all its variables
     */
    public static Run installed(Map<String, String> environment, List<String> arguments) throws IOException {
        return run(true, Path.of(""), environment, arguments);
    }

    private synchronized Run run(Path directory, Map<String, String> environment, List<String> arguments)
            throws IOException {
        Files.writeString(exchange.resolve("cwd"), directory.toRealPath() + "\n");
        Files.writeString(exchange.resolve("umask"), "022\n");
        Files.writeString(exchange.resolve("in"), "");
        put("args", arguments.stream());
        put("env", environment.entrySet().stream().map(variable -> variable.getKey() + "=" + variable.getValue()));
        Files.writeString(exchange.resolve("go"), "\n");
        int code = Integer.parseInt(Files.readString(exchange.resolve("done")).strip());
        return new Run(code, Files.readString(exchange.resolve("out"), StandardCharsets.ISO_8859_1),
                new String(Files.readAllBytes(exchange.resolve("err")), StandardCharsets.UTF_8));
    }

    private void put(String name, Stream<String> words) throws IOException {
        Files.writeString(exchange.resolve(name), words.map(word -> word + "\0").collect(Collectors.joining()),
                StandardCharsets.ISO_8859_1);
    }
}
