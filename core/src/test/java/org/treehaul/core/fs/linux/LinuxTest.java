// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;

class LinuxTest {

    /** Runs in a JVM of its own: prints the result of a call, or the failure of each of two attempts. */
    static final class Probe {
        private Probe() {}

        public static void main(String[] arguments) {
            for (int attempt = 0; attempt < 2; attempt++) {
                try {
                    System.out.println(Linux.calls().fchmod(-1, 0600));
                } catch (UnsupportedOperationException failure) {
                    System.out.println(failure.getMessage());
                }
            }
        }
    }

    @Test
    void otherPlatformsAreNamed() {
        assertThat(Linux.problemWith("Linux", "amd64")).isNull();
        assertThat(Linux.problemWith("Linux", "aarch64")).isNull();
        assertThat(Linux.problemWith("Mac OS X", "aarch64")).contains("needs Linux").contains("Mac OS X on aarch64");
        assertThat(Linux.problemWith("Linux", "riscv64")).contains("riscv64");
    }

    @Test
    void callsAreAlwaysTheSameObject() {
        assertThat(Linux.calls()).isSameAs(Linux.calls());
    }

    @Test
    void deniedNativeAccessIsAnErrorThatNamesTheOption() throws Exception {
        List<String> lines = probe(Map.of(), "--illegal-native-access=deny");
        assertThat(lines).hasSize(2).allMatch(line -> line.contains("--enable-native-access=ALL-UNNAMED"));
        assertThat(Linux.nativeAccessDenied(Object.class.getModule())).endsWith("--enable-native-access=java.base");
    }

    @Test
    void callsGoThroughPreloadedLibraries() throws Exception {
        try (TestDirectory place = TestDirectory.make()) {
            Path source = place.resolve("shim.c");
            Files.writeString(source, """
                    #include <errno.h>
                    int fchmod(int descriptor, unsigned mode) { errno = EDQUOT; return -1; }
                    """);
            Path library = place.resolve("shim.so");
            Assumptions.assumeTrue(compile(source, library), "there is no C compiler");
            List<String> lines = probe(Map.of("LD_PRELOAD", library.toString()), "--enable-native-access=ALL-UNNAMED");
            assertThat(lines).containsExactly("-" + Errno.EDQUOT, "-" + Errno.EDQUOT);
        }
    }

    private static boolean compile(Path source, Path library) throws InterruptedException {
        try {
            return new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor() == 0;
        } catch (IOException notThere) {
            return false;
        }
    }

    private static List<String> probe(Map<String, String> environment, String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:TieredStopAtLevel=1",
                        "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(Arrays.asList(options));
        command.add(Probe.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output.lines().toList();
    }
}
