// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.tuplespace.store.SpaceUri;

/** The example programs of the documentation, compiled against the packaged jar; a reader runs their source files. */
class ExampleTest {

    @TempDir
    Path directory;

    @Test
    void theExampleWalksAndCopiesATreeAndReportsBoth() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source/a/b"));
        Files.writeString(source.resolve("file"), "twelve bytes");
        Files.createSymbolicLink(source.resolve("link"), Path.of("file"));
        Path target = directory.resolve("target");

        Run run = Examples.runSource("CopyAndWatch", directory.resolve("source"), target);

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("""
                found 1 files, 12 bytes
                copied 1 files, read back 12 bytes
                """);
        assertThat(run.code()).isZero();
        assertThat(target.resolve("a/b/file")).hasContent("twelve bytes");
        assertThat(Files.readSymbolicLink(target.resolve("a/b/link"))).isEqualTo(Path.of("file"));
    }

    @Test
    void everyExampleWithAMainMethodRunsFromItsSourceFile() throws Exception {
        // Java runs the first class of a source file.
        Pattern first = Pattern.compile("^(?:public |final )*(?:class|record|interface|enum) (\\w+)",
                Pattern.MULTILINE);
        assertThat(Examples.sources()).hasSizeGreaterThan(15).allSatisfy(source -> {
            Matcher found = first.matcher(Files.readString(source));
            assertThat(found.find()).isTrue();
            assertThat(found.group(1) + ".java").isEqualTo(source.getFileName().toString());
        });
    }

    @Test
    void theExampleReceivesFailures() throws Exception {
        Files.createDirectories(directory.resolve("source"));
        Path nowhere = directory.resolve("missing/target");

        Run run = Examples.run("CopyAndWatch", directory.resolve("source"), nowhere);

        assertThat(run.out()).contains("failed: " + nowhere + ": open: No such file or directory (ENOENT)");
        assertThat(run.code()).isEqualTo(1);
    }

    @Test
    void theExampleOfWholeTreesCopiesAndCompares() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source"));
        Files.writeString(source.resolve("file"), "twelve bytes");

        Run run = Examples.run("WholeTrees", source, directory.resolve("target"));

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("12 bytes\ncopied 2 entries\n");
    }

    @Test
    void theExampleOfAsynchronousFilesWritesWhileItComputes() throws Exception {
        Path file = directory.resolve("file");

        Run run = asynchronous(file);

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("written 14 bytes, sum 500500\none\ntwo\nthree\n");
        assertThat(file).hasContent("one\ntwo\nthree\n");
        Run failed = asynchronous(directory.resolve("missing/file"));
        assertThat(failed.out()).isEqualTo(
                "open failed: " + directory.resolve("missing/file") + ": open: No such file or directory (ENOENT)\n");
        assertThat(failed.code()).isEqualTo(1);
    }

    @Test
    void theExampleOfAsynchronousFilesOverAStageReadsWhatItWrote() throws Exception {
        Path first = Files.createDirectory(directory.resolve("disk1"));
        Path second = Files.createDirectory(directory.resolve("disk2"));

        Run run = Examples.run("AsyncStageWrites", directory.resolve("space"), first, second);

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("21000 bytes on [d1, d2], sum 500500, last line: part 2\n");
    }

    @Test
    void theExampleOfACollectiveReadReadsColumns() throws Exception {
        // Each row has the bytes 1, 1, 2, 2, 3, 3, 4, 4.
        byte[] matrix = new byte[800];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = (byte) (i % 8 / 2 + 1);
        }
        Path file = Files.write(directory.resolve("matrix"), matrix);

        Run run = Examples.run("ReadColumns", file, 100, 8);

        assertThat(run.err()).isEmpty();
        assertThat(run.expect(0).out().lines().sorted()).containsExactly("columns 0 to 1: sum 200",
                "columns 2 to 3: sum 400", "columns 4 to 5: sum 600", "columns 6 to 7: sum 800");
    }

    private static Run asynchronous(Path file) throws Exception {
        return Examples.run("AsyncWrites", file);
    }

    @Test
    void theExampleOfJobsSubmitsACopyAndWatchesIt() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source/a"));
        Files.writeString(source.resolve("file"), "twelve bytes");

        Run run = byJobs(directory.resolve("source"), directory.resolve("target"));

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains(": COMPLETE, 100%").endsWith("1 of 1 entries\n");
        assertThat(run.code()).isZero();
        assertThat(directory.resolve("target/a/file")).hasContent("twelve bytes");
        assertThat(directory.resolve("state/transfers")).isDirectoryContaining("glob:**/[0-9]*");
    }

    @Test
    void theExampleOfJobsResumesFailedEntries() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source"));
        // A directory in the way of a file fails as long as it is there.
        Files.writeString(source.resolve("file"), "twelve bytes");
        Files.createDirectories(directory.resolve("target/source/file/in/the/way"));

        Run run = byJobs(source, directory.resolve("target"));

        assertThat(run.out()).contains("PARTIAL").endsWith("0 of 1 entries\n");
        assertThat(run.code()).isEqualTo(1);
        assertThat(directory.resolve("state/transfers")).satisfies(transfers -> {
            try (var ended = Files.walk(transfers)) {
                assertThat(ended.filter(file -> file.endsWith("2.end"))).hasSize(1);
            }
        });
    }

    @Test
    void theExampleOfASchedulerRunsTheJobsOfACopy() throws Exception {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Examples.provide(classes, "OneScheduler", "org.treehaul.schedulers.SchedulerProvider");
        Path source = Files.createDirectories(directory.resolve("source"));
        Files.writeString(source.resolve("file"), "twelve bytes");

        Run run = Run.of(Run.commandOf(List.of(Run.JAR, classes), "org.treehaul.cli.Main", "cp", "-aT", "--scheduler",
                "nice", "--jobs", "2", "--wait", "--state-dir", directory.resolve("state"), source,
                directory.resolve("target")).toArray());

        run.expect(0);
        assertThat(run.err()).contains("nice jobs");
        assertThat(directory.resolve("target/file")).hasContent("twelve bytes");
    }

    @Test
    void theExampleOfATaskGroupUpdatesTheSegmentsOfAFile() throws Exception {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Examples.provide(classes, "UpdateSegments", "org.treehaul.schedulers.tasks.TaskProvider");
        String text = "A tree of 1 line\n".repeat(10_000);
        Path file = Files.writeString(directory.resolve("file"), text);

        Run run = Run.of(Run.commandOf(List.of(Run.JAR, classes), "UpdateSegments", file, 3).toArray());

        assertThat(run.err()).isEmpty();
        assertThat(run.expect(0).out().lines().sorted().toList()).hasSize(3)
                .allMatch(line -> line.matches("segment [012]: [1-9][0-9]* letters"));
        assertThat(file).hasContent(text.toUpperCase(Locale.ROOT));
    }

    @Test
    void theExampleOfTasksAtAStageUpdatesTheSegmentsOfAParallelFile() throws Exception {
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Examples.provide(classes, "UpdateStaged", "org.treehaul.schedulers.tasks.TaskProvider");
        byte[] text = "A tree of 1 line\n".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        Path space = directory.resolve("space");
        Path secret = Files.writeString(directory.resolve("secret"), "s".repeat(32));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        ByteString disk1 = ByteString.of(Files.createDirectories(directory.resolve("disk1")));
        ByteString disk2 = ByteString.of(Files.createDirectories(directory.resolve("disk2")));
        try (Stage stage = openStage(space)) {
            LocalServers.add(Linux.calls(), stage.catalogue(), List.of(disk1, disk2));
            try (ParallelFile file = stage.create(ByteString.of("file"),
                    new StripeLayout(List.of("d1", "d2"), 2, 1 << 16), 0600)) {
                file.write(ByteBuffer.wrap(text));
            }
        }

        Run run = Run.of(Run.commandOf(List.of(Run.JAR, classes), "UpdateStaged", space, secret, "job:file").toArray());

        assertThat(run.err()).isEmpty();
        String host = Host.name();
        assertThat(run.expect(0).out().lines().sorted().toList()).hasSize(2)
                .allMatch(line -> line.matches("segment [01]: [1-9][0-9]* letters on " + Pattern.quote(host)
                        + ", [1-9][0-9]* in the segment before"));
        ByteBuffer changed = ByteBuffer.allocate(text.length);
        try (Stage stage = openStage(space); ParallelFile file = stage.open(ByteString.of("file"), false)) {
            file.read(changed, 0);
        }
        assertThat(new String(changed.array(), StandardCharsets.US_ASCII))
                .isEqualTo(new String(text, StandardCharsets.US_ASCII).toUpperCase(Locale.ROOT));
    }

    private static Stage openStage(Path space) {
        return Stage.open(Catalogue.open(SpaceUri.parse(space.toString()), "job"), LocalServers.opener(Linux.calls()),
                2);
    }

    private Run byJobs(Path source, Path target) throws Exception {
        return Examples.run("CopyByJobs", Run.JAR, directory.resolve("state"), "local", source, target);
    }
}
