// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The five programs of the example project, compiled against the classes of the modules. {@link MavenRepositoryTest}
 * builds the project itself.
 */
class ExampleProjectTest {

    static final Path PROJECT = Run.ROOT.resolve("docs/examples/project");

    private static final Path SOURCES = PROJECT.resolve("src/main/java");
    private static final int MOST_LINES = 30;

    @TempDir
    static Path classes;

    @TempDir
    Path directory;

    @BeforeAll
    static void compile() throws IOException {
        String[] options = {"-proc:none", "-cp", classPath(), "-d", classes.toString()};
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, Stream.concat(Stream.of(options), sources().stream().map(Path::toString))
                        .toArray(String[]::new)))
                .isZero();
    }

    @Test
    void eachProgramHasAtMostThirtyLines() throws IOException {
        assertThat(sources()).hasSize(5).allSatisfy(source -> assertThat(source).content().satisfies(text -> {
            assertThat(text.lines()).hasSizeLessThanOrEqualTo(MOST_LINES);
        }));
    }

    @Test
    void theProjectTheGuideAndTheBomNameTheVersionsOfTheBuild() throws IOException {
        String build = Files.readString(Run.ROOT.resolve("pom.xml"));
        String version = between(build, "<artifactId>treehaul</artifactId>\\s*<version>(.*?)</version>");
        String sqlite = between(build, "<sqlite.version>(.*?)</sqlite.version>");
        String logger = between(build, "<slf4j.version>(.*?)</slf4j.version>");
        assertThat(Run.ROOT.resolve("bom/pom.xml")).content()
                .containsPattern("<version>" + version + "</version>\\s*<packaging>")
                .contains("<sqlite.version>" + sqlite + "<");
        assertThat(PROJECT.resolve("pom.xml")).content()
                .containsPattern("treehaul-bom</artifactId>\\s*<version>" + version + "<")
                .containsPattern("slf4j-simple</artifactId>\\s*<version>" + logger + "<");
        assertThat(PROJECT.resolve("build.gradle.kts")).content()
                .contains("treehaul-bom:" + version + "\"", "slf4j-simple:" + logger + "\"");
        assertThat(Run.ROOT.resolve("docs/guide/library.md")).content()
                .contains("treehaul-bom</artifactId><version>" + version + "<", "treehaul-bom:" + version + "\"");
    }

    private static String between(String text, String pattern) {
        return Pattern.compile(pattern).matcher(text).results().findFirst().orElseThrow().group(1);
    }

    @Test
    void aTreeIsWalked() throws Exception {
        assertThat(run("WalkTree", tree())).matches("3 entries, \\d+ bytes\n");
    }

    @Test
    void aTreeIsCopied() throws Exception {
        assertThat(run("CopyTree", tree(), directory.resolve("copy"))).isEqualTo("copied 3 entries\n");
        assertThat(directory.resolve("copy/a/file")).hasContent("twelve bytes");
    }

    @Test
    void aTreeIsCopiedByJobs() throws Exception {
        assertThat(run("TransferTree", Run.JAR.toAbsolutePath(), directory.resolve("state"), "local", tree(),
                directory.resolve("copy"))).endsWith("COMPLETE, 0 failures\n");
        assertThat(directory.resolve("copy/a/file")).hasContent("twelve bytes");
    }

    @Test
    void aTreeIsIndexedAndTheIndexQueried() throws Exception {
        assertThat(run("IndexAndQuery", directory.resolve("space"), tree(), "size>10"))
                .isEqualTo("3 entries, 1 match\n12 file\n");
    }

    @Test
    void workIsSharedInASpace() throws Exception {
        assertThat(run("ShareWork", directory.resolve("space"))).isEqualTo("Task[run=run8, size=30]\n1 left\n");
    }

    private Path tree() throws IOException {
        Path tree = directory.resolve("tree");
        Files.writeString(Files.createDirectories(tree.resolve("a")).resolve("file"), "twelve bytes");
        return tree;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.sorted().toList();
        }
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String run(String program, Object... arguments) throws Exception {
        Run run = Run
                .of(Stream.concat(
                        Stream.of(Run.JAVA, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED", "-cp", classes + ":" + classPath(), program),
                        Stream.of(arguments)).toArray());
        return run.expect(0).out();
    }
}
