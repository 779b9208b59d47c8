// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.strategies.ranks.Distribution;

/** The recorded shape of any tree can be read again and simulated. */
class ShapeRecorderTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(2);

    private final List<EntryFailure> failures = new ArrayList<>();

    private Optional<TreeShape> record(FileSystemCalls calls, Root root) {
        return ShapeRecorder.record(calls, OPTIONS, List.of(root), new Cancellation(), failures::add);
    }

    private TreeShape isSimulated(Root root, long entries) throws IOException {
        TreeShape shape = record(Linux.calls(), root).orElseThrow();
        assertThat(failures).isEmpty();
        TreeShape read = TreeShape.read(new ByteArrayInputStream(shape.text().getBytes(StandardCharsets.US_ASCII)));
        assertThat(read).isEqualTo(shape);
        for (Distribution distribution : Distribution.all()) {
            Prediction prediction = Simulation.run(distribution, read, Simulation.Parameters.of(entries, 4));
            assertThat(prediction.shares().stream().mapToLong(Long::longValue).sum()).isEqualTo(entries);
        }
        return shape;
    }

    private static Root root(TestDirectory directory, String name) {
        return Root.of(ByteString.of(directory.path() + name));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 7, 30, 200, 201, 202, 203})
    void anyTreeHasAShape(int entries) throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            RandomTree.make(Linux.calls(), directory.path(), entries, entries);
            long all = TreeSummary.of(TreeWalker.of(Linux.calls(), OPTIONS), List.of(root(directory, "")), event -> {
            }, new org.treehaul.core.event.Progress(), new Cancellation()).totalEntries();
            isSimulated(root(directory, ""), all);
        }
    }

    @Test
    void aSingleFileHasAShape() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
                writer.file(ByteString.of("f"), 1, 1);
            }
            isSimulated(root(directory, "/f"), 1);
        }
    }

    @Test
    void aFlatDirectoryHasAShapeAndIsFlatInTheSimulation() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
                for (int i = 0; i < 3000; i++) {
                    writer.special(ByteString.of("name-" + i), EntryKind.FIFO, 0);
                }
            }
            TreeShape shape = isSimulated(root(directory, ""), 3001);
            assertThat(shape.subdirectories()).containsExactly(1L);
            assertThat(shape.files().getLast()).isEqualTo(1);
        }
    }

    @Test
    void unreadableTreesHaveNoShape() {
        try (TestDirectory directory = TestDirectory.make()) {
            assertThat(record(Linux.calls(), root(directory, "/missing"))).isEmpty();
            assertThat(failures).hasSize(1);
        }
    }
}
