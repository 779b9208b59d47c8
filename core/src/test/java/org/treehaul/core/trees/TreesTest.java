// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.EntryFailedException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class TreesTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Path source = directory.path().resolve("source");
    private final Path target = directory.path().resolve("target");

    TreesTest() throws IOException {
        Files.createDirectory(source);
        try (TreeWriter tree = TreeWriter.in(Linux.calls(), source)) {
            tree.directory(ByteString.of("d"))
                    .file(ByteString.of("d/f"), 100_000, 1)
                    .file(ByteString.of(new byte[]{'d', '/', (byte) 0xFF}), 10, 2)
                    .symlink(ByteString.of("link"), ByteString.of("nowhere"));
        }
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void aTreeIsCopiedAndEqual() throws Exception {
        CopyResult result = Trees.copy(source, target);
        assertThat(result.counts().entries()).isEqualTo(5);
        assertThat(Trees.compare(source, target)).isEmpty();
    }

    @Test
    void aSecondCopyGoesIntoTheSameTarget() throws Exception {
        Trees.copy(source, target);
        Trees.copy(source, target);
        assertThat(Trees.compare(source, target)).isEmpty();
    }

    @Test
    void differencesAreReturned() throws Exception {
        Trees.copy(source, target);
        Path changed = target.resolve("d/f");
        var time = Files.getLastModifiedTime(changed);
        Files.write(changed, new byte[100_000]);
        Files.setLastModifiedTime(changed, time);
        assertThat(Trees.compare(source, target)).extracting(Difference::kind).containsExactly(DifferenceKind.CONTENT);
    }

    @Test
    void aFailureOfAnEntryIsThrownAfterTheRestIsDone() throws Exception {
        Files.createDirectory(target);
        Files.createDirectory(target.resolve("link"));
        assertThatExceptionOfType(TreeFailedException.class).isThrownBy(() -> Trees.copy(source, target))
                .satisfies(e -> assertThat(e.count()).isEqualTo(1))
                .satisfies(e -> assertThat(e.failures()).hasSize(1))
                .withMessageContaining("link");
        assertThat(target.resolve("d/f")).exists();
    }

    @Test
    void aMissingSourceIsThrown() {
        Path missing = directory.path().resolve("missing");
        assertThatExceptionOfType(TreeFailedException.class).isThrownBy(() -> Trees.copy(missing, target))
                .withMessageContaining("No such file");
        assertThatExceptionOfType(TreeFailedException.class).isThrownBy(() -> Trees.remove(missing))
                .withMessageContaining("No such file");
        assertThatExceptionOfType(TreeFailedException.class).isThrownBy(() -> Trees.compare(missing, source))
                .withMessageContaining("No such file");
        try (Stream<Entry> entries = Trees.stream(missing)) {
            assertThatExceptionOfType(EntryFailedException.class).isThrownBy(entries::count)
                    .withMessageContaining("No such file")
                    .satisfies(e -> assertThat(e.failure().path().isRoot()).isTrue());
        }
    }

    @Test
    void aCopyIntoItselfIsRefused() {
        assertThatExceptionOfType(CopyRefusedException.class)
                .isThrownBy(() -> Trees.copy(source, source.resolve("d/inside")));
    }

    @Test
    void aTreeIsRemoved() throws Exception {
        assertThat(Trees.remove(source).counts().entries()).isEqualTo(5);
        assertThat(source).doesNotExist();
    }

    @Test
    void aStreamHasEveryEntryWithItsStatus() {
        try (Stream<Entry> entries = Trees.stream(source)) {
            List<Entry> all = entries.toList();
            assertThat(all).hasSize(5).allMatch(entry -> entry.status().isPresent());
            assertThat(all.getFirst().path().isRoot()).isTrue();
        }
    }

    @Test
    void aStreamThatIsClosedEarlyEndsItsThreads() throws IOException {
        for (int i = 0; i < 3_000; i++) {
            Files.createFile(source.resolve("f" + i));
        }
        try (Stream<Entry> entries = Trees.stream(source)) {
            Iterator<Entry> some = entries.iterator();
            some.next();
            assertThat(some.next().path().isRoot()).isFalse();
        }
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces()
                        .keySet()
                        .stream()
                        .map(Thread::getName)
                        .noneMatch(name -> name.startsWith("treehaul-")));
    }

    @Test
    void aClosedStreamHasNoFurtherEntries() {
        Stream<Entry> entries = Trees.stream(source);
        Iterator<Entry> some = entries.iterator();
        some.next();
        entries.close();
        assertThatIllegalStateException().isThrownBy(some::hasNext).withMessageContaining("closed");
        Stream<Entry> unused = Trees.stream(source);
        Iterator<Entry> none = unused.iterator();
        unused.close();
        assertThatIllegalStateException().isThrownBy(none::hasNext).withMessageContaining("closed");
    }

    @Test
    void aStreamThatWasNotUsedIsClosed() {
        Trees.stream(source).close();
        assertThat(source).exists();
    }
}
