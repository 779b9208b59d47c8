// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of the packaged jar under an old Java, with a main class that prints its arguments and signals. */
class LauncherTest {
    private static final String MAIN = """
            package org.treehaul.cli;

            import java.nio.file.*;
            import java.util.*;

            public final class Main {
                public static void main(String[] args) throws Exception {
                    switch (args[0]) {
                        case "exit" -> System.exit(Integer.parseInt(args[1]));
                        case "die" -> new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start();
                        case "show" -> {
                            var line = Files.readString(Path.of("/proc", System.getProperty("treehaul.argv.pid"), "cmdline"),
                                    java.nio.charset.StandardCharsets.ISO_8859_1).split("\\0", -1);
                            for (int i = line.length - 1 - args.length; i < line.length - 1; i++) {
                                System.out.println(HexFormat.of()
                                        .formatHex(line[i].getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)));
                            }
                            System.out.println(Runtime.version().feature() >= 25 ? "new Java" : "old Java");
                            System.out.println("given=" + System.getProperty("given"));
                            System.exit(0);
                        }
                    }
                    for (var name : List.of("INT", "HUP", "USR1", "TERM")) {
                        sun.misc.Signal.handle(new sun.misc.Signal(name), signal -> {
                            System.out.println("got " + name);
                            if (name.equals("TERM")) {
                                System.exit(7);
                            }
                        });
                    }
                    System.out.println("ready");
                    Thread.sleep(Long.MAX_VALUE);
                }
            }
            """;

    @TempDir
    static Path dir;

    private static Path jar = Path.of("");

    @BeforeAll
    static void putTheLauncherBeforeAMainClassOfOurOwn() throws IOException {
        Path source = Files.writeString(dir.resolve("Main.java"), MAIN);
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), "-nowarn", "-d",
                        dir.toString(), source.toString()))
                .isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "org.treehaul.cli.launch.Launcher");
        jar = dir.resolve("with a space.jar");
        try (JarFile packaged = new JarFile(Run.JAR.toFile());
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (ZipEntry entry : (Iterable<ZipEntry>) packaged.stream().<ZipEntry>map(e -> e)::iterator) {
                if (entry.getName().startsWith("org/treehaul/cli/launch/") && !entry.isDirectory()) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    packaged.getInputStream(entry).transferTo(out);
                }
            }
            out.putNextEntry(new ZipEntry("org/treehaul/cli/Main.class"));
            Files.copy(dir.resolve("org/treehaul/cli/Main.class"), out);
        }
    }

    @Test
    void theExitCodeIsTheOneOfTheNewerJava() throws Exception {
        Run.of(environment(), Run.olderJava(), "-jar", jar, "exit", "23").expect(23);
    }

    @Test
    void aChildThatWasKilledGives128AndTheSignal() throws Exception {
        Run.of(environment(), Run.olderJava(), "-jar", jar, "die").expect(137);
    }

    @Test
    void theChildCanReadTheExactArgumentsAndGetsTheOptionsOfTheJvm() throws Exception {
        Run run = Run
                .of(environment(), "/bin/sh", "-c",
                        "exec \"$0\" -Dgiven='a b' -Xmx64m -jar \"$1\" show \"$(printf 'a\\377b')\" '' '@x'",
                        Run.olderJava(), jar)
                .expect(0);
        assertThat(run.out().lines()).containsExactly("73686f77", "61ff62", "", "4078", "new Java", "given=a b");
    }

    @Test
    void aJavaThatOnlyClaimsToBeNewIsAnErrorAndNoLoop() throws Exception {
        Path old = Run.olderJava();
        Path liar = Files.createDirectories(dir.resolve("liar/bin")).resolve("java");
        Files.writeString(liar,
                "#!/bin/sh\nwhile [ \"${1#-Dtreehaul}\" = \"$1\" ]; do shift; done\nexec " + old + " \"$@\"\n");
        assertThat(liar.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve("liar/release"), "JAVA_VERSION=\"25\"\n");
        Run run = Run.of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/liar"), old, "-jar", jar, "exit", "0")
                .expect(2);
        assertThat(run.err()).contains("reports a newer version than it has");
    }

    @Test
    void everySignalReachesTheChildOnce() throws Exception {
        // The session is separate: no terminal would send ^C to both processes. A signal that nohup ignores stays
        // ignored.
        try (Running running = new Running(List.of("env", "--default-signal=HUP", "setsid", "--wait",
                Run.olderJava().toString(), "-jar", jar.toString(), "wait"))) {
            running.awaitLine("ready");
            long parent = running.launcher();
            for (String name : List.of("USR1", "HUP", "INT", "TERM")) {
                Run.of("kill", "-s", name, parent).expect(0);
                running.awaitLine("got " + name);
            }
            assertThat(running.process.waitFor()).isEqualTo(7);
            assertThat(running.lines()).containsExactly("ready", "got USR1", "got HUP", "got INT", "got TERM");
        }
    }

    @Test
    void anInterruptFromTheTerminalReachesTheChildOnce() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "no program script, to have a terminal");
        String command = "exec '" + Run.olderJava() + "' -jar '" + jar + "' wait";
        try (Running running = new Running(List.of("script", "-qec", command, "/dev/null"))) {
            running.awaitLine("ready");
            running.type("\u0003");
            running.awaitLine("got INT");
            Run.of("kill", "-s", "TERM", running.launcher()).expect(0);
            running.awaitLine("got TERM");
            assertThat(running.process.waitFor()).isEqualTo(7);
            assertThat(running.lines()).filteredOn(line -> line.contains("got")).hasSize(2);
        }
    }

    private static Map<String, String> environment() {
        return Map.of("PATH", "/usr/bin:/bin", "LC_ALL", "C", "JAVA_HOME", Run.JAVA.resolve("../..").toString());
    }

    /** A process that tests watch while it runs; closing it kills all its processes. */
    private static final class Running implements AutoCloseable {
        final Process process;
        private final Path out = Files.createTempFile(dir, "running", ".out");

        Running(List<String> command) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command)).redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment());
            process = builder.start();
        }

        void type(String keys) throws IOException {
            process.getOutputStream().write(keys.getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        }

        void awaitLine(String text) {
            await().atMost(Duration.ofMinutes(1)).until(() -> lines().stream().anyMatch(line -> line.endsWith(text)));
        }

        List<String> lines() {
            return Run.read(out).lines().map(line -> line.replace("\r", "")).toList();
        }

        /** Returns the launcher's pid, which the newer Java receives as an argument. */
        long launcher() {
            String option = "-Dtreehaul.argv.pid=";
            return process.descendants()
                    .filter(child -> child.isAlive())
                    .flatMap(child -> Run.read(Path.of("/proc/" + child.pid() + "/cmdline"))
                            .lines()
                            .flatMap(line -> List.of(line.split("\0")).stream()))
                    .filter(argument -> argument.startsWith(option))
                    .mapToLong(argument -> Long.parseLong(argument.substring(option.length())))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
