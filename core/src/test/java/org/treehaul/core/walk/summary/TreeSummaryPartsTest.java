// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Sums of the summaries of parts of a walk. */
class TreeSummaryPartsTest {

    private static final Walker WALKING = TreeWalker.of(Linux.calls(), WalkOptions.defaults().withStatus(true));

    private static Root root(Path path) {
        return Root.of(ByteString.of(path.toString()));
    }

    private static TreeSummary part(Path path) {
        return TreeSummary.ofPart(WALKING, List.of(root(path)), event -> {
        }, new Progress(), new Cancellation());
    }

    private static void expectSame(TreeSummary sum, TreeSummary expected) {
        assertThat(sum.entries()).isEqualTo(expected.entries());
        assertThat(sum.linkedNames()).isEqualTo(expected.linkedNames());
        assertThat(sum.linkedFiles()).isEqualTo(expected.linkedFiles());
        assertThat(sum.apparentBytes()).isEqualTo(expected.apparentBytes());
        assertThat(sum.allocatedBytes()).isEqualTo(expected.allocatedBytes());
        assertThat(sum.sizes()).isEqualTo(expected.sizes());
        assertThat(sum.largest().orElseThrow().value()).isEqualTo(expected.largest().orElseThrow().value());
        assertThat(sum.deepest()).isEqualTo(expected.deepest());
        assertThat(sum.failures()).isEqualTo(expected.failures());
        assertThat(sum.failuresByKind()).isEqualTo(expected.failuresByKind());
        assertThat(sum.isComplete()).isEqualTo(expected.isComplete());
    }

    @Test
    void partsAddUpToTheWholeAndFilesWithNamesInSeveralCountOnce() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            List<Path> places = Stream.of("a", "b", "c").map(directory::directory).toList();
            for (int i = 0; i < 9; i++) {
                Path file = Files.writeString(places.get(i % 3).resolve("f" + i), "x".repeat(i * 700));
                Files.createLink(places.get((i + 1) % 3).resolve("l" + i), file);
            }
            Path link = Files.createSymbolicLink(places.get(0).resolve("s"), Path.of("f0"));
            Files.createLink(places.get(2).resolve("t"), link);
            Files.createDirectories(places.get(1).resolve("x/y/z"));
            TreeSummary whole = TreeSummary.of(WALKING, places.stream().map(TreeSummaryPartsTest::root).toList(),
                    event -> {
                    }, new Progress(), new Cancellation());
            assertThat(whole.linkedFiles()).isEqualTo(10);
            expectSame(TreeSummary.sum(places.stream().map(place -> part(place).toBytes()).toList()), whole);
        }
    }

    @Test
    void failuresAreCountedByKind() {
        try (TestDirectory directory = TestDirectory.make()) {
            byte[] missing = part(directory.resolve("nowhere")).toBytes();
            TreeSummary sum = TreeSummary.sum(List.of(missing, part(directory.directory("here")).toBytes(), missing));
            assertThat(sum.failures()).isEqualTo(2);
            assertThat(sum.failuresByKind()).containsExactly(Map.entry(EntryFailure.Kind.ERROR, 2L));
        }
    }

    @Test
    void otherBytesThanAPartAreRefused() {
        assertThatThrownBy(() -> TreeSummary.sum(List.of(new byte[7]))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a part");
    }
}
