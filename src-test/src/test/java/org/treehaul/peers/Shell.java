// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs bash scripts with the variables of a trial. Bytes of the output are decoded as ISO-8859-1, so that names stay
 * unchanged.
 */
final class Shell {

    /** Begins each script. {@code tree N} makes N files of some bytes in ten directories of the source. */
    private static final String PRELUDE = """
            LC_ALL=C; export LC_ALL
            umask 022
            bytes() { head -c "$1" /dev/urandom; }
            tree() {
                local i
                for ((i = 0; i < $1; i++)); do
                    mkdir -p "$S/d$((i % 10))" && printf 'content of %s\\n' $i > "$S/d$((i % 10))/f$i"
                done
            }
            cannot() { echo "$*"; exit 77; }
            """;

    private final Path directory;
    private final String variables;
    private final Map<String, String> environment = new TreeMap<>();

    Shell(Path directory, Path tmpfs, Path jar, String source, String target) {
        this.directory = directory;
        String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin") + ":/usr/sbin:/sbin";
        environment.putAll(Map.of("PATH", path, "W", directory.toString(), "T", tmpfs.toString(), "HOME",
                directory.toString(), "TZ", "UTC", "JAVA",
                Path.of(System.getProperty("java.home"), "bin/java").toString(), "JAR", jar.toString()));
        this.variables = PRELUDE + "S=" + source + "; D=" + target + "; export S D\n";
    }

    /** Starts a script; its output goes to these files. */
    Process start(String script, Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of("setsid", "bash", "-c", variables + script))
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs a script to its end with any exit code, and returns its output. */
    String run(String script) throws IOException, InterruptedException {
        return result(script).out();
    }

    /** The exit code and output of a script. */
    record Result(int code, String out, String err) {}

    Result result(String script) throws IOException, InterruptedException {
        Path out = Files.createTempFile("treehaul-trust", ".out");
        Path err = Files.createTempFile("treehaul-trust", ".err");
        try {
            int code = start(script, out, err).waitFor();
            return new Result(code, Files.readString(out, StandardCharsets.ISO_8859_1),
                    Files.readString(err, StandardCharsets.ISO_8859_1));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
