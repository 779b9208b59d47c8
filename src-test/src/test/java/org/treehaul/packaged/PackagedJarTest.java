// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.store.StoreProvider;

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

    private static Run underOldJavaWithin(int kilobytes, Path newJava, Object... arguments) throws Exception {
        // These options let the first JVM itself start within the limit.
        return Run.of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", newJava.toString()),
                Stream.concat(Stream.of("sh", "-c", "ulimit -v " + kilobytes + "; exec \"$@\"", "sh", Run.olderJava(),
                        "-XX:CompressedClassSpaceSize=48m", "-XX:ReservedCodeCacheSize=64m", "-XX:ErrorFile=/dev/null",
                        "-jar", Run.JAR), Stream.of(arguments)).toArray());
    }

    @Test
    void theJarUnderAnOldJavaCopiesWhereTheAddressSpaceIsLimited() throws Exception {
        copyWithin(2_000_000);
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(ints = {4_000_000, 3_000_000})
    void theJarUnderAnOldJavaCopiesWhereTheAddressSpaceIsLimitedLess(int kilobytes) throws Exception {
        copyWithin(kilobytes);
    }

    private void copyWithin(int kilobytes) throws Exception {
        Path source = Files.createDirectories(dir.resolve("source/d"));
        Files.writeString(source.resolve("f"), "data");
        underOldJavaWithin(kilobytes, Run.JAVA.resolve("../.."), "cp", "-aT", "--verify", dir.resolve("source"),
                dir.resolve("copy")).expect(0);
        assertThat(dir.resolve("copy/d/f")).hasContent("data");
    }

    @Test
    void whereTheNewJavaCannotStartTheJarNamesCauseAndRemedy() throws Exception {
        // A fake Java with the output and exit code of one that finds no memory.
        Path java = Files.createDirectories(dir.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'Error occurred during initialization of VM'\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"99\"\n");
        Run run = underOldJavaWithin(2_000_000, dir.resolve("jdk"), "--version").expect(2);
        assertThat(run.err()).startsWith("treehaul: Java cannot start within the limit of the address space")
                .contains("ulimit -v is 2000000 kB");
        assertThat(run.out() + run.err()).doesNotContain("Error occurred");
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
                    .noneMatch(name -> name.matches("META-INF/(.*\\.(SF|RSA|DSA)|maven/.*pom\\..*)")
                            || name.contains("module-info"));
            assertThat(jar.getManifest().getMainAttributes().getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
        }
    }

    @Test
    void theJarHoldsTheDriverForThePlatformsThatThereAreAndNoOthers() throws IOException {
        try (JarFile jar = new JarFile(Run.JAR.toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName).filter(name -> name.matches(".*\\.(so|dll|dylib)")))
                    .containsExactlyInAnyOrder("org/sqlite/native/Linux/x86_64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux/aarch64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux-Musl/x86_64/libsqlitejdbc.so",
                            "org/sqlite/native/Linux-Musl/aarch64/libsqlitejdbc.so");
            assertThat(jar.stream().map(ZipEntry::getName)).contains("META-INF/maven/org.xerial/sqlite-jdbc/LICENSE",
                    "META-INF/maven/org.xerial/sqlite-jdbc/LICENSE.zentus");
        }
    }

    @Test
    void theNetworkLibraryIsInTheJarWithoutServicesOfOthers() throws IOException {
        try (JarFile jar = new JarFile(Run.JAR.toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName)).contains("io/netty/handler/ssl/SslHandler.class")
                    .noneMatch(name -> name.contains("blockhound"));
        }
    }

    @Test
    void theDriverOfPostgresqlIsInAPartOfTheJarThatNoOtherCommandSearches() throws IOException {
        try (JarFile jar = new JarFile(Run.JAR.toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName))
                    .contains("META-INF/stores/org/postgresql/Driver.class",
                            "META-INF/stores/com/zaxxer/hikari/HikariDataSource.class",
                            "META-INF/licenses/com.ongres.scram/scram-client-3.2/META-INF/LICENSE")
                    .noneMatch(name -> name.matches("(META-INF/versions/\\d+/)?(org/postgresql|com/zaxxer)/.*"));
            for (String service : List.of("java.sql.Driver", StoreProvider.class.getName())) {
                String name = "META-INF/services/" + service;
                assertThat(text(jar, name)).contains("sqlite").doesNotContain("postgresql");
                assertThat(text(jar, "META-INF/stores/" + name)).contains("postgresql").doesNotContain("sqlite");
            }
            assertThat(text(jar, "META-INF/LICENSE")).contains("PostgreSQL Global Development Group");
        }
    }

    private static String text(JarFile jar, String name) throws IOException {
        return new String(jar.getInputStream(jar.getJarEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void everyClassIsNewEnoughForTheArchiveAndTheLauncherOldEnoughForJava8() throws IOException {
        try (JarFile jar = new JarFile(Run.JAR.toFile())) {
            Map<String, Integer> versions = new TreeMap<>();
            for (ZipEntry entry : jar.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
                try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
                    in.skipNBytes(6);
                    versions.put(entry.getName(), in.readUnsignedShort());
                }
            }
            // A JVM archives no class older than Java 6, which has version 50; Java 8 reads up to 52.
            assertThat(versions).allSatisfy((name, version) -> assertThat(version).isGreaterThanOrEqualTo(50));
            assertThat(versions).extractingByKey("org/treehaul/cli/launch/Launcher.class").isEqualTo(52);
            assertThat(versions).extractingByKey("picocli/CommandLine.class").isEqualTo(52);
        }
    }

    @Test
    void theSameJarIsMadeOnceMore() throws Exception {
        Path program = Run.ROOT.resolve("cli/src/build/java/org/treehaul/build/ExecutableJar.java");
        Path again = dir.resolve("again.jar");
        Run.of(Run.JAVA, "-XX:TieredStopAtLevel=1", program, Run.JAR.resolveSibling("shaded/treehaul.jar"), again)
                .expect(0);
        assertThat(Files.mismatch(again, Run.JAR)).isEqualTo(-1);
    }
}
