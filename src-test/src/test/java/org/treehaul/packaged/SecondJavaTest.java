// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jar under an old Java runs a newer one, which here is a script with the exit codes of a JVM that fails. */
class SecondJavaTest {

    @TempDir
    private Path dir;

    @SuppressWarnings("NullAway") // set by JUnit
    SecondJavaTest() {}

    private Run run(String script) throws Exception {
        Path java = Files.createDirectories(dir.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\n" + script + "\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"99\"\n");
        return Run.of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir.resolve("jdk").toString(), "JDK_JAVA_OPTIONS",
                "-Dfor=all"), Run.olderJava(), "-jar", Run.JAR, "cmp", "a", "b");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 126, 127})
    void aJvmThatDoesNotStartIsReportedWithTheOptionsOfTheEnvironment(int code) throws Exception {
        Run run = run("echo 'Unrecognized option: -Xold' >&2; exit " + code).expect(2);
        assertThat(run.err()).contains("Unrecognized option: -Xold\n", "treehaul: Java could not start (",
                "jdk/bin/java); its message is above", "JDK_JAVA_OPTIONS is '-Dfor=all'");
    }

    @Test
    void aCommandThatFindsDifferencesIsNoSuchJvm() throws Exception {
        Run run = run("for last; do :; done; [ \"$last\" = -version ] || exit 1").expect(1);
        assertThat(run.err()).doesNotContain("treehaul: ");
    }

    @Test
    void aKilledJvmIsReportedWithTheRemedyForShortMemory() throws Exception {
        assertThat(run("kill -9 $$").expect(137).err()).contains("treehaul: Java was killed by signal 9", "memory",
                "JDK_JAVA_OPTIONS=-Xmx256m");
    }

    @Test
    void aCrashIsReportedWithThePlaceOfItsReport() throws Exception {
        assertThat(run("ulimit -c 0; kill -ABRT $$").expect(134).err()).contains("treehaul: Java crashed by signal 6",
                "hs_err_pid");
    }
}
