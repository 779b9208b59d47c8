// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/**
 * The memory of index grows neither with the names in a directory nor with the depth of the tree, that of query not
 * with its answer, that of watch not with the changes, and that of a check not with the space.
 */
class LargeIndexTest {

    private static final String NONE = "0 new, 0 changed, 0 gone";

    @Test
    @Tag("rig")
    void thousandsOfNamesInADirectoryAreIndexedWith16Megabytes() throws Exception {
        names(30_000, "-Xmx16m");
    }

    @Test
    @Tag("rig")
    void manyNamesInADirectoryAreIndexedWith24Megabytes() throws Exception {
        names(120_000, "-Xmx24m");
    }

    @Test
    @Tag("campaign")
    void aMillionNamesInADirectoryAreIndexedWith64Megabytes() throws Exception {
        names(1_000_000, "-Xmx64m");
    }

    @Test
    @Tag("rig")
    void aDeepTreeIsIndexedWith24Megabytes() throws Exception {
        depth(2_000, "-Xmx24m");
    }

    @Test
    @Tag("campaign")
    void aTreeOf15000LevelsIsIndexedWith64Megabytes() throws Exception {
        depth(15_000, "-Xmx64m");
    }

    @Test
    @Tag("campaign")
    void aSubtreeOf400000EntriesIsRemovedAndWatchedWith64Megabytes() throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            subtree(directory, 400, 999, "-Xmx64m");
        }
    }

    private static void subtree(TestDirectory directory, int directories, int names, String heap) throws Exception {
        Path tree = directory.directory("tree");
        Path space = directory.resolve("space");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
            writer.file(ByteString.of("kept"), new byte[0]);
            for (int i = 0; i < directories; i++) {
                for (int k = 0; k < names; k++) {
                    writer.file(ByteString.of("large/" + i + "/f" + k), new byte[0]);
                }
            }
        }
        int gone = 1 + directories * (1 + names);
        assertThat(index(heap, 0, "--space", space, tree)).contains(gone + 2 + " new, 0 changed, 0 gone");
        Process watch = new ProcessBuilder(Run.commandWithHeap(heap, "watch", "--space", space))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = watch.inputReader()) {
            assertThat(lines.readLine()).contains("watching");
            Files.move(tree.resolve("large"), directory.resolve("elsewhere"));
            assertThat(index(heap, 0, "--accept-loss", "--space", space))
                    .contains("0 new, 1 changed, " + gone + " gone");
            // The changed directory appears in its old and its new state.
            for (int i = 0; i < gone + 2; i++) {
                assertThat(lines.readLine()).matches("(gone|new ) /.*");
            }
        } finally {
            watch.destroy();
            watch.waitFor();
        }
        assertThat(count(space)).isEqualTo(2);
    }

    private static void names(int count, String heap) throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.directory("tree");
            Path space = directory.resolve("space");
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                for (int i = 0; i < count; i++) {
                    writer.file(ByteString.of("f" + i), new byte[0]);
                }
            }
            assertThat(index(heap, 0, "--space", space, tree)).contains((count + 1) + " new, 0 changed, 0 gone");
            assertThat(index(heap, 0, "--space", space)).contains(NONE);
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                for (int i = 0; i < count; i += 2) {
                    writer.remove(ByteString.of("f" + i)).file(ByteString.of("n" + i), new byte[0]);
                }
            }
            assertThat(index(heap, 25, "--space", space))
                    .contains(count / 2 + " of " + (count + 1) + " indexed entries");
            // The time of the directory itself differs.
            assertThat(index(heap, 0, "--accept-loss", "--space", space))
                    .contains(count / 2 + " new, 1 changed, " + count / 2 + " gone");
            assertThat(count(space, "name=f*")).isEqualTo(count / 2);
            assertThat(count(space, "name=n*")).isEqualTo(count / 2);
            assertThat(count(space)).isEqualTo(count + 1);
            assertThat(Run.of(Run.commandWithHeap(heap, "space", "check", space).toArray()).expect(0).err())
                    .contains("intact");
            assertThat(lines(heap, space, "--group-by", "name")).isEqualTo(count + 1);
            assertThat(lines(heap, space, "--top", count)).isEqualTo(count);
        }
    }

    private static void depth(int levels, String heap) throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path tree = directory.directory("tree");
            Path space = directory.resolve("space");
            StringBuilder path = new StringBuilder();
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                for (int i = 0; i < levels; i++) {
                    path.append("directory/");
                    writer.file(bytes(path + "f"), new byte[0]);
                }
            }
            int entries = 2 * levels + 1;
            assertThat(index(heap, 0, "--space", space, tree)).contains(entries + " new, 0 changed, 0 gone");
            assertThat(index(heap, 0, "--space", space)).contains(NONE);
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                writer.remove(bytes(path + "f")).file(bytes(path + "g"), new byte[0]);
            }
            assertThat(index(heap, 0, "--space", space)).contains("1 new, 1 changed, 1 gone");
            assertThat(count(space, "name=f,g")).isEqualTo(levels);
            // Those of the files, the tree, and the one above it.
            assertThat(lines(heap, space, "--group-by", "directory")).isEqualTo(levels + 2);
            assertThat(lines(heap, space, "--top", entries)).isEqualTo(entries);
        }
    }

    private static ByteString bytes(String path) {
        return ByteString.of(path.getBytes(StandardCharsets.US_ASCII));
    }

    private static String index(String heap, int code, Object... arguments) throws Exception {
        Object[] all = Stream.concat(Stream.of("index"), Stream.of(arguments)).toArray();
        return Run.of(Run.commandWithHeap(heap, all).toArray())
                .expect(code)
                .err()
                .replace(",", "")
                .replaceAll("(new|changed)", "$1,");
    }

    /** Returns the number of lines of an answer that would be large for the memory of this process as well. */
    private static int lines(String heap, Path space, Object... arguments) throws Exception {
        Object[] all = Stream.concat(Stream.of("query", "--space", space), Stream.of(arguments)).toArray();
        List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$@\" | wc -l", "sh"));
        command.addAll(Run.commandWithHeap(heap, all));
        Run run = Run.of(command.toArray());
        assertThat(run.err()).isEmpty();
        return Integer.parseInt(run.out().strip());
    }

    private static long count(Path space, String... conditions) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of("query", "--count", "--space", space));
        arguments.addAll(List.of(conditions));
        return Long.parseLong(Run.treehaul(arguments.toArray()).expect(0).out().strip());
    }
}
