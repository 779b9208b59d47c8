// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JavaHomesTest {
    @TempDir
    Path dir;

    @ParameterizedTest
    @CsvSource({"1.8.0_402,8", "9,9", "17.0.15,17", "25,25", "25-ea,25", "25.0.3+9-LTS,25", "'',0", "unknown,0", ",0"})
    void theMajorVersionIsReadFromAnySpelling(String version, int major) {
        assertThat(JavaHomes.major(version)).isEqualTo(major);
    }

    @Test
    void javaHomeComesFirstThenPathThenTheShelves() throws IOException {
        File fromHome = java("a home", "26.0.1");
        File fromPath = java("path", "25");
        File onShelf = java("shelf/jdk", "25.0.3");
        JavaHomes homes = JavaHomes.of(
                Map.of("JAVA_HOME", dir + "/a home", "PATH", "/nonexistent::" + dir + "/path/bin"),
                List.of(dir.resolve("shelf").toFile()));
        assertThat(homes.atLeast(25)).containsExactly(fromHome, fromPath, onShelf);
    }

    @Test
    void anOlderJavaIsPassedOver() throws IOException {
        java("shelf/a-17", "17.0.15");
        java("shelf/b-8", "1.8.0_402");
        File newer = java("shelf/c-25", "25.0.3");
        assertThat(JavaHomes.of(Map.of(), List.of(dir.resolve("shelf").toFile())).atLeast(25)).containsExactly(newer);
    }

    @Test
    void aJavaReachedByALinkCountsOnce() throws IOException {
        File java = java("jdk", "25");
        Files.createDirectories(dir.resolve("bin"));
        Files.createSymbolicLink(dir.resolve("bin/java"), java.toPath());
        JavaHomes homes = JavaHomes.of(Map.of("JAVA_HOME", dir + "/jdk", "PATH", dir + "/bin"), List.of());
        assertThat(homes.atLeast(25)).containsExactly(java);
    }

    @Test
    void aJavaWithoutAReleaseFileIsAsked() throws IOException {
        File java = java("jdk", "25");
        Files.delete(dir.resolve("jdk/release"));
        Files.writeString(java.toPath(), "#!/bin/sh\necho 'openjdk version \"27.0.1\" 2027-10-01' >&2\n");
        JavaHomes homes = JavaHomes.of(Map.of("JAVA_HOME", dir + "/jdk"), List.of());
        assertThat(homes.atLeast(27)).containsExactly(java);
        assertThat(homes.atLeast(28)).isEmpty();
    }

    @Test
    void directoriesThatAreNoHomesAreIgnored() throws IOException {
        Files.createDirectories(dir.resolve("shelf/jdk/bin/java"));
        Files.createDirectories(dir.resolve("shelf/empty"));
        JavaHomes homes = JavaHomes.of(Map.of(), List.of(dir.resolve("shelf").toFile(), new File("/nonexistent")));
        assertThat(homes.atLeast(0)).isEmpty();
    }

    private File java(String home, String version) throws IOException {
        Path java = dir.resolve(home).resolve("bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, "#!/bin/sh\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve(home).resolve("release"),
                "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return java.toFile().getCanonicalFile();
    }

    @Test
    void aJavaThatMayNotBeExecutedIsNamed() throws IOException {
        Path java = Files.createDirectories(dir.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "");
        JavaHomes homes = JavaHomes.of(Map.of("JAVA_HOME", dir + "/jdk"), List.of());
        assertThat(homes.atLeast(25)).isEmpty();
        assertThat(homes.notExecutable()).containsExactly(java.toFile());
    }
}
