// SPDX-License-Identifier: Apache-2.0
package org.treehaul.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Assumptions;

/** Finds and runs the programs of the machine, in the C locale. */
public final class Programs {

    // The directories of the administrator's programs are not on the PATH of every user.
    private static final String PATH = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/local/bin:/usr/bin:/bin")
            + ":/usr/sbin:/sbin:/usr/local/sbin";

    private Programs() {}

    /**
     * The output of a program.
     *
     * @param code its exit code
     * @param text its output and error output, one character for each byte
     */
    public record Said(int code, String text) {
        /** Returns the first line that is not blank, or an empty text. */
        public String firstLine() {
            return text.lines().filter(line -> !line.isBlank()).findFirst().orElse("").strip();
        }
    }

    /** Returns the path of a program. */
    public static Optional<String> find(String program) {
        return Arrays.stream(PATH.split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .map(Path::toString)
                .findFirst();
    }

    /** Skips the test if a program is missing. */
    public static void require(String program, String debianPackage) {
        Assumptions.assumeTrue(find(program).isPresent(),
                program + " (package " + debianPackage + ") is not installed");
    }

    /** Starts a program; the caller must read its output. */
    public static Process start(Object... command) throws IOException {
        List<String> words = new ArrayList<>(words(command));
        // Uses the full path, because Java searches its own PATH and not that of the program.
        words.set(0, find(words.getFirst()).orElse(words.getFirst()));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("PATH", PATH);
        builder.environment().put("LC_ALL", "C");
        return builder.start();
    }

    /** Runs a program and returns its exit code and output. */
    public static Said ask(Object... command) {
        try {
            Process process = start(command);
            process.getOutputStream().close();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return new Said(process.waitFor(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Runs a program and returns its output; fails with the output if the exit code is not zero. */
    public static String run(Object... command) {
        Said said = ask(command);
        if (said.code() != 0) {
            throw new IllegalStateException(
                    String.join(" ", words(command)) + " returned " + said.code() + ": " + said.text().strip());
        }
        return said.text();
    }

    private static List<String> words(Object... command) {
        return Arrays.stream(command).map(Object::toString).toList();
    }
}
