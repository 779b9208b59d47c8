// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** The task of docs/examples in a jar, by {@code treehaul run}. */
class TaskExampleTest {

    private static final String SERVICE = "META-INF/services/org.treehaul.core.task.EntryTaskProvider";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        makeJar("CountLines", Path.of(System.getProperty("treehaul.root")).resolve("docs/examples/CountLines.java"));
        cli.sh("mv CountLines.jar lines.jar && mkdir d && seq 300000 > d/large && seq 7 > d/small && : > d/empty")
                .expect(0);
    }

    private void makeJar(String provider, Path source) throws IOException {
        Path classes = directory.directory(provider);
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", Run.JAR.toString(), "-d", classes.toString(),
                        source.toString()))
                .isZero();
        try (OutputStream out = Files.newOutputStream(directory.resolve(provider + ".jar"));
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                entries.putNextEntry(new JarEntry(file.getFileName().toString()));
                Files.copy(file, entries);
            }
            entries.putNextEntry(new JarEntry(SERVICE));
            entries.write((provider + "\n").getBytes(StandardCharsets.US_ASCII));
        }
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private static final String RUN = "$T run --jar lines.jar --task count-lines ";

    @Test
    void theTaskCountsTheLinesOfFiles() throws Exception {
        assertThat(cli.warmly(RUN + "--tag d | sort").expect(0).out())
                .isEqualTo("d/empty\t0\nd/large\t300000\nd/small\t7\n");
        assertThat(cli.warmly(RUN + "--parameter end=nul d/small").expect(0).out()).isEqualTo("0\n");
        assertThat(cli.warmly(RUN + "--dry-run d/small").expect(0).out()).isEqualTo("count-lines d/small\n");
    }

    @Test
    void aParameterHasTheCharactersThatTheUserTyped() throws Exception {
        Path source = Files.writeString(directory.resolve("Shown.java"), """
                import java.util.SortedMap;

                public final class Shown implements org.treehaul.core.task.EntryTaskProvider {
                    public String name() {
                        return "shown";
                    }

                    public int version() {
                        return 1;
                    }

                    public org.treehaul.core.task.EntryTask create(SortedMap<String, String> parameters) {
                        return input -> input.out().write(parameters.toString().getBytes("UTF-8"));
                    }
                }
                """);
        makeJar("Shown", source);
        String shown = "$T run -q --jar Shown.jar --task shown --parameter \"w=$(printf '%s')\" d/small";
        assertThat(cli.warmly(shown.replace("%s", "M\\303\\274ller=1")).expect(0).out())
                .isEqualTo(cli.sh("printf '{w=M\\303\\274ller=1}'").expect(0).out());
        assertThat(cli.warmly(shown.replace("%s", "\\351")).expect(2).err()).contains("--parameter must be UTF-8");
    }

    @Test
    void theSegmentsOfAFileAddUp() throws Exception {
        assertThat(cli.warmly(RUN + "--segments 1M d | awk '{n += $1} END {print NR, n}'").expect(0).out())
                .isEqualTo("4 300007\n");
    }

    @Test
    void jobsHaveTheJar() throws Exception {
        Run run = cli.warmly("mkdir o; " + RUN + "--segments 1M --output-dir o --state-dir $PWD/state --scheduler local"
                + " --jobs 2 --wait d && awk '{n += $1} END {print NR, n}' o/*.out").expect(0);
        assertThat(run.out()).endsWith("\n4 300007\n");
        assertThat(run.err()).contains("4 entries");
    }

    @Test
    void anExceptionIsTheFailureOfItsFile() throws Exception {
        Run run = cli.warmly(RUN + "--where kind=directory,regular d").expect(23);
        assertThat(run.err()).contains("d: the task failed: Is a directory", "1 failed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"--task count-lines d | there is no task 'count-lines' in the jars; name its jar by --jar",
                    "--jar lines.jar --task count d | there is no task 'count' in the jars",
                    "--jar lines.jar --task Count d | not a name for a task: 'Count'",
                    "--jar lines.jar d -- cat | --jar needs --task",
                    "--parameter a=b d -- cat | --parameter needs --task",
                    "--jar none.jar --task count-lines d | none.jar is not a file",
                    "--jar lines.jar --task count-lines --parameter end d | --parameter must be KEY=VALUE, not 'end'",
                    "--jar lines.jar --task count-lines --parameter end=x d | version 1 refuses its parameters: end must be newline or nul, not 'x'",
                    "--jar lines.jar --task count-lines d -- cat | --task cannot be combined with a command"})
    void wrongUseIsRefusedBeforeAnythingRuns(String arguments, String message) throws Exception {
        assertThat(cli.warmly("$T run " + arguments).expect(2).err()).contains(message);
    }
}
