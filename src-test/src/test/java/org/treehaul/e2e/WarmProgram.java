// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.packaged.Run;

/**
 * The packaged program in one process that runs one command after another, for tests of hundreds of command lines: a
 * process for each would take 40 times as much processor time. The commands share the environment of the process. Not
 * for tests of what belongs to a process: signals, the environment, the user it runs as, and relative names of spaces,
 * plans and state directories, which Java resolves in the directory in which the process began.
 *
 * <p>
 * A command and its outcome are in files of a directory: {@code args} (each with a NUL after it), {@code cwd},
 * {@code umask}, {@code in}, {@code out} and {@code err}. Two pipes carry the turns: {@code go} begins a command, and
 * {@code done} gets its exit code.
 */
final class WarmProgram {

    private static final class Shared {
        static final Path EXCHANGE = start();
    }

    private WarmProgram() {}

    /** Returns the definition of a shell function {@code treehaul} that runs a command, for a script. */
    static String function() {
        return """
                treehaul() {
                    pwd -P > '%1$s/cwd' && umask > '%1$s/umask' && cat > '%1$s/in' || return 99
                    : > '%1$s/args'
                    [ $# = 0 ] || printf '%%s\\000' "$@" > '%1$s/args'
                    echo > '%1$s/go'
                    read -r code < '%1$s/done'
                    cat '%1$s/out'
                    cat '%1$s/err' >&2
                    return "$code"
                }
                """.formatted(Shared.EXCHANGE);
    }

    /** Runs a command in a directory, without input. */
    static Run run(Path directory, String... arguments) throws IOException {
        Path exchange = Shared.EXCHANGE;
        Files.writeString(exchange.resolve("cwd"), directory.toRealPath() + "\n");
        Files.writeString(exchange.resolve("umask"), "022\n");
        Files.writeString(exchange.resolve("in"), "");
        Files.writeString(exchange.resolve("args"), arguments.length == 0 ? "" : String.join("\0", arguments) + "\0",
                StandardCharsets.ISO_8859_1);
        Files.writeString(exchange.resolve("go"), "\n");
        int code = Integer.parseInt(Files.readString(exchange.resolve("done")).strip());
        return new Run(code, Files.readString(exchange.resolve("out"), StandardCharsets.ISO_8859_1),
                new String(Files.readAllBytes(exchange.resolve("err")), StandardCharsets.UTF_8));
    }

    private static Path start() {
        try {
            Path exchange = Files.createTempDirectory("treehaul-warm");
            Run.of("mkfifo", exchange.resolve("go"), exchange.resolve("done")).expect(0);
            List<String> command = new ArrayList<>(Run.command(List.of(), Run.JAR, exchange));
            // In place of "-jar JAR".
            int jar = command.indexOf("-jar");
            Path tests = Path.of(WarmProgram.class.getProtectionDomain().getCodeSource().getLocation().getPath());
            command.subList(jar, jar + 2).clear();
            command.addAll(jar, List.of("--enable-native-access=ALL-UNNAMED", "-cp", Run.JAR + ":" + tests,
                    "org.treehaul.cli.ManyCommands"));
            ProcessBuilder builder = Cli.builder(command).redirectErrorStream(true);
            Process process = builder.redirectOutput(exchange.resolve("log").toFile()).start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, exchange), "end of the warm program"));
            return exchange;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the program was started", e);
        }
    }

    private static void end(Process process, Path exchange) {
        process.destroyForcibly();
        try {
            PathUtils.deleteDirectory(exchange);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
