// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.e2e.WarmProgram;

/** The commands {@code plan} and {@code show}, and how other commands use a plan. */
class PlanCommandTest {

    private TestDirectory directory;
    private Path source;
    private Path plan;

    @BeforeEach
    void makeDirectory() {
        directory = TestDirectory.make();
        source = directory.directory("source");
        plan = directory.resolve("plan");
    }

    @AfterEach
    void removeDirectory() {
        directory.close();
    }

    private Run plan(int code, Object... options) throws Exception {
        Object[] command = new Object[options.length + 6];
        command[0] = "plan";
        command[1] = "-a";
        System.arraycopy(options, 0, command, 2, options.length);
        command[command.length - 4] = "-o";
        command[command.length - 3] = plan;
        command[command.length - 2] = source;
        command[command.length - 1] = directory.resolve("target");
        return treehaul(command).expect(code);
    }

    private Run treehaul(Object... arguments) throws Exception {
        return WarmProgram.run(directory.path(), Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }

    private void makeFiles(int count) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            for (int i = 0; i < count; i++) {
                writer.file(ByteString.of("file-" + i), 1000, i);
            }
        }
    }

    @Test
    void aReaderInPythonReadsThePlan() throws Exception {
        assumeTrue(isInstalled("python3"), "python3 is missing (package python3)");
        HostileTree.make(Linux.calls(), source);
        Run planned = treehaul("plan", "-a", "--jobs", "3", "--chunk-size", "64M", "-o", plan, source,
                directory.resolve("target"));
        assertThat(planned.code()).as(planned.err()).isIn(0, 23);
        Process python = new ProcessBuilder("python3", Run.ROOT.resolve("docs/examples/read_plan.py").toString(),
                plan.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] read = python.getInputStream().readAllBytes();
        assertThat(python.waitFor()).isZero();
        assertThat(new String(read, StandardCharsets.ISO_8859_1)).isEqualTo(lines(Plan.open(plan)));
        Run shown = treehaul("show", "--json", "--entries", plan).expect(0);
        assertThat(shown.out().lines().filter(line -> line.contains("\"type\":\"entry\"")).count())
                .isEqualTo(Plan.open(plan).totals().orElseThrow().entries())
                .isGreaterThan(100);
    }

    private static boolean isInstalled(String program) {
        for (String path : Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(path, program))) {
                return true;
            }
        }
        return false;
    }

    private static String lines(Plan plan) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (PlannedBatch batch : plan.batches()) {
            try (PlanRecords<ManifestEntry> entries = plan.manifest(batch.number())) {
                for (ManifestEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    ChunkRange chunk = entry.chunk();
                    lines.writeBytes(bytes(batch.number() + "\t" + entry.root() + "\t" + letter(entry.kind()) + "\t"
                            + entry.size() + "\t"));
                    lines.writeBytes(entry.path().isRoot() ? bytes(".") : entry.path().toBytes());
                    lines.writeBytes(bytes((chunk == null ? "" : "\t" + chunk.from() + "-" + chunk.to()) + "\n"));
                }
            }
        }
        return lines.toString(StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String letter(EntryKind kind) {
        return switch (kind) {
            case REGULAR -> "f";
            case SYMLINK -> "l";
            case FIFO -> "p";
            default -> kind.label().substring(0, 1);
        };
    }

    @Test
    void aPlanIsShown() throws Exception {
        makeFiles(40);
        assertThat(plan(0, "--jobs", "2", "--batches", "4").err())
                .contains("planned 40 files, 39.1 KiB in 4 batches in ");
        Run shown = treehaul("show", plan).expect(0);
        assertThat(shown.out()).contains("copies    " + source + " -> " + directory.resolve("target"),
                "batches   4 by size-balanced, for 2 jobs", "a batch   10 entries, 9.8 KiB",
                "1.00 times the average in entries, 1.00 in bytes", "estimate  0 s with 2 jobs");
        assertThat(treehaul("show", "--jobs", "1", "--file-rate", "1", plan).expect(0).out())
                .contains("estimate  40 s with 1 job of 1 file and");
        // Planning does not write to the destination.
        assertThat(directory.path()).isDirectoryNotContaining(path -> !path.equals(source) && !path.equals(plan));
    }

    @Test
    void holesAreShownBesideSizesAndCountNothing() throws Exception {
        makeFiles(39);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.sparse(ByteString.of("holes"), 1L << 30, 0);
        }
        assertThat(plan(0, "--jobs", "2", "--batches", "4").err()).contains("planned 40 files, 1.0 GiB in 4 batches");
        Run shown = treehaul("show", plan).expect(0);
        assertThat(shown.out()).contains("in all    40 files, 1.0 GiB, without holes 42.1 KiB; 40 entries",
                " of data; the largest entry 1.0 GiB", " in data\n", "estimate  0 s with 2 jobs",
                "         bytes          data       largest\n");
        String json = treehaul("show", "--json", "--entries", plan).expect(0).out();
        assertThat(json).contains("\"size\":1073741824,", "\"data\":4096}", "\"bytes\":1073780824,\"data\":43096,",
                "\"spread_bytes\":\"4.00\",\"spread_data\":\"1.");
    }

    @Test
    void aStrategyOfAnotherJarIsFound() throws Exception {
        makeFiles(9);
        Path classes = directory.directory("classes");
        Examples.provide(classes, "EveryNth", "org.treehaul.core.plan.Batching");
        Run.of(Run
                .commandOf(List.of(Run.JAR, classes), "org.treehaul.cli.Main", "plan", "-a", "--strategy", "every-nth",
                        "--batches", "2", "-o", plan, source, directory.resolve("target"))
                .toArray()).expect(0);
        assertThat(Plan.open(plan).batches()).extracting(PlannedBatch::entries).containsExactly(5L, 4L);
    }

    @Test
    void badPlansAreRefusedByName() throws Exception {
        makeFiles(9);
        plan(0);
        assertThat(treehaul("show", source).expect(2).err()).contains("there is no plan in " + source);
        Path manifest = plan.resolve("manifest/0");
        byte[] good = Files.readAllBytes(manifest);
        good[20]++;
        Files.write(manifest, good);
        treehaul("show", plan).expect(0);
        assertThat(treehaul("show", "--check", plan).expect(2).err()).contains(manifest + " is damaged");
        Files.writeString(plan.resolve("header"),
                Files.readString(plan.resolve("header")).replace("treehaul-plan\t2", "treehaul-plan\t7"));
        assertThat(treehaul("show", plan).expect(2).err())
                .contains("header is of format 7, but this TreeHaul reads formats 1 to 2");
        assertThat(plan(2).err()).contains("finished plan");
    }

    @Test
    void argumentsThatMakeNoSenseAreRefused() throws Exception {
        assertThat(plan(2, "--strategy", "none").err()).contains("unknown strategy 'none'; choose one of ");
        assertThat(plan(2, "--strategy", "streaming", "--batches", "3").err())
                .contains("--batches cannot be combined with a streaming strategy");
        assertThat(plan(2, "--jobs", "0").err()).contains("--jobs must be 1 or more, not 0");
        assertThat(plan(2, "--batch-files", "0").err()).contains("--batch-files must be 1 or more, not 0");
        assertThat(plan(2, "--chunk-size", "1").err()).contains("--chunk-size must be 1 MiB or more, not 1 bytes");
        assertThat(plan).doesNotExist();
    }
}
