// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class path that processes have by default, for creators that were started in several ways. */
class OwnClassPathTest {

    @TempDir
    private Path directory;

    /** Prints it. */
    static final class Probe {

        private Probe() {}

        /** A process of its own. */
        public static void main(String[] arguments) {
            System.out.println(GroupOptions.defaults().classPath());
        }
    }

    @BeforeEach
    void setUp() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Automatic-Module-Name", "probe");
        try (OutputStream file = Files.newOutputStream(directory.resolve("probe.jar"));
                JarOutputStream jar = new JarOutputStream(file, manifest)) {
            for (Class<?> type : List.of(GroupOptions.class, Probe.class)) {
                add(jar, Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()));
            }
        }
    }

    private static void add(JarOutputStream jar, Path classes) throws IOException {
        Path tasks = classes.resolve("org/treehaul/schedulers/tasks");
        try (Stream<Path> files = Files.list(tasks)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                jar.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, jar);
            }
        }
    }

    private List<String> classPath(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        words.addAll(List.of(options));
        Process process = new ProcessBuilder(words).directory(directory.toFile()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return List.of(output.strip().split(":"));
    }

    @Test
    void aRelativeClassPathIsFoundFromEveryDirectory() throws Exception {
        assertThat(classPath("-cp", "probe.jar::lib/other.jar", Probe.class.getName())).containsExactly(
                directory.resolve("probe.jar").toString(), directory.toString(),
                directory.resolve("lib/other.jar").toString());
    }

    @Test
    void theModulesOfTheCreatorAreOnIt() throws Exception {
        assertThat(classPath("-p", "probe.jar", "-m", "probe/" + Probe.class.getName()))
                .containsExactly(directory.resolve("probe.jar").toString());
    }
}
