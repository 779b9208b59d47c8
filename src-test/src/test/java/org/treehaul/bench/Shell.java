// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs that serve the harness and are not measured. */
final class Shell {

    private Shell() {}

    /**
     * What a program said.
     *
     * @param code its exit code
     * @param text its output and error output
     */
    record Said(int code, String text) {
        String firstLine() {
            return text.lines().filter(line -> !line.isBlank()).findFirst().orElse("").strip();
        }
    }

    /** Runs a program whose failure would spoil everything. */
    static String run(String... command) throws IOException {
        Said said = ask(List.of(command));
        if (said.code() != 0) {
            throw new IOException(String.join(" ", command) + ": exit code " + said.code() + ": " + said.text());
        }
        return said.text();
    }

    /** Runs a program and tells how it went. */
    static Said ask(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Said(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Returns where a program stands on the PATH. */
    static Optional<String> find(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/local/bin:/usr/bin:/bin");
        return Stream.concat(Arrays.stream(path.split(":", -1)), Stream.of("/usr/sbin", "/sbin"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .map(Path::toString)
                .findFirst();
    }
}
