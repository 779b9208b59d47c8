// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;

/** The programs that make and break file systems. */
final class Programs {

    // Those of the administrator are not on everybody's PATH.
    private static final List<String> ADMINISTRATOR = List.of("/usr/sbin", "/sbin", "/usr/local/sbin");

    private Programs() {}

    /** Skips the test where a program is missing. */
    static void require(String program, String debianPackage) {
        Assumptions.assumeTrue(isInstalled(program), program + " (package " + debianPackage + ") is not installed");
    }

    private static boolean isInstalled(String program) {
        Stream<String> path = Arrays.stream(System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":"));
        return Stream.concat(path, ADMINISTRATOR.stream())
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    /** Starts a program; its output is to be read. */
    static Process start(Object... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList())
                .redirectErrorStream(true);
        builder.environment()
                .merge("PATH", String.join(File.pathSeparator, ADMINISTRATOR), (a, b) -> a + File.pathSeparator + b);
        builder.environment().put("LC_ALL", "C");
        return builder.start();
    }

    /** Runs a program and returns what it printed; fails with that when its exit code is not zero. */
    static String run(Object... command) {
        try {
            Process process = start(command);
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            int code = process.waitFor();
            if (code != 0) {
                throw new IllegalStateException(String.join(" ", Arrays.stream(command).map(Object::toString).toList())
                        + " returned " + code + ": " + output.strip());
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
