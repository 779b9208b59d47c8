// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackagedJarTest {
    @TempDir
    Path dir;

    @Test
    void theJarPrintsItsVersionUnderANewJava() throws Exception {
        Run run = Run.of(Run.JAVA, "-jar", Run.JAR, "--version").expect(0);
        assertThat(run.out()).matches("treehaul \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theJarPrintsItsVersionUnderAnOldJava() throws Exception {
        Run run = Run
                .of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", Run.JAVA.resolve("../..").toString()), Run.olderJava(),
                        "-jar", Run.JAR, "--version")
                .expect(0);
        assertThat(run.out()).matches("treehaul \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void anUnknownOptionIsAUsageErrorUnderEitherJava() throws Exception {
        assertThat(Run.of(Run.JAVA, "-jar", Run.JAR, "--no-such-option").expect(2).err()).contains("--no-such-option");
        assertThat(Run.of(Run.olderJava(), "-jar", Run.JAR, "--no-such-option").expect(2).err())
                .contains("--no-such-option");
    }

    @Test
    void anArgumentThatBeginsWithAnAtSignIsNoFileOfArguments() throws Exception {
        Path arguments = Files.writeString(dir.resolve("arguments"), "--version");
        Run.of(Run.JAVA, "-jar", Run.JAR, "@" + arguments).expect(2);
    }

    @Test
    void theJarHoldsOneLicenceOfOursAndThoseOfItsLibrariesAndNoJunk() throws IOException {
        try (JarFile jar = new JarFile(Run.JAR.toFile())) {
            List<String> names = jar.stream().map(ZipEntry::getName).toList();
            assertThat(names).contains("META-INF/LICENSE", "META-INF/NOTICE")
                    .doesNotHaveDuplicates()
                    .noneMatch(name -> name.matches("META-INF/(.*\\.(SF|RSA|DSA)|maven/.*)")
                            || name.contains("module-info"));
            assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
    }
}
