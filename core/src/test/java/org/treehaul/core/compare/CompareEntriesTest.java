// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** Comparisons of selected entries and directories alone. */
class CompareEntriesTest {

    private static final CompareOptions DATA = CompareOptions.defaults()
            .withContent(true)
            .ignoring(Set.of(DifferenceKind.MTIME))
            .withThreads(3)
            .withChunkBytes(1 << 16);

    private final List<String> found = Collections.synchronizedList(new ArrayList<>());
    private final Set<Integer> paired = new ConcurrentSkipListSet<>();
    private TestDirectory directory = TestDirectory.onTmpfs();

    @BeforeEach
    void make() {
        directory.close();
        directory = TestDirectory.onTmpfs();
        directory.directory("a");
        directory.directory("b");
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    private void both(String name, byte[] a, byte[] b) throws IOException {
        for (Map.Entry<String, byte[]> side : Map.of("a", a, "b", b).entrySet()) {
            Path file = directory.resolve(side.getKey()).resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, side.getValue());
        }
    }

    private CompareResult compare(PathSelection selection, Symlinks symlinks, EntryScope.Ranges ranges) {
        return TreeComparer.of(Linux.calls(), DATA)
                .compareEntries(Root.of(ByteString.of(directory.resolve("a").toString()), selection),
                        ByteString.of(directory.resolve("b").toString()),
                        new EntryScope(symlinks, ranges, (number, a, b) -> paired.add(number)),
                        difference -> found.add(difference.toString()),
                        event -> found.add(((Event.Failed) event).failure().toString()), new Progress(),
                        new Cancellation());
    }

    private static TreePath path(String text) {
        return TreePath.of(ByteString.of(text).toBytes());
    }

    @Test
    void onlySelectedEntriesAreCompared() throws IOException {
        both("d/one", new byte[]{1}, new byte[]{2});
        both("d/two", new byte[]{1}, new byte[]{2});
        Files.setPosixFilePermissions(directory.resolve("b/d"), Set.of(PosixFilePermission.values()));
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(path("d/one"), EntryKind.REGULAR, 7);
        assertThat(compare(selection, Symlinks.NEVER, number -> DataRange.ALL).isComplete()).isTrue();
        assertThat(found).containsExactly("d/one: content differs at byte 0");
        assertThat(paired).containsExactly(7);
    }

    @Test
    void aRangeIsComparedByAnyNumberOfThreads() throws IOException {
        byte[] a = new byte[3_000_000];
        byte[] b = a.clone();
        b[10] = 1;
        b[2_000_000] = 1;
        both("file", a, b);
        for (long[] range : new long[][]{{0, 10, -1}, {0, 11, 10}, {11, 2_000_000, -1}, {11, Long.MAX_VALUE, 2_000_000},
                {2_000_000, 2_000_001, 2_000_000}, {2_000_001, Long.MAX_VALUE, -1}, {9_000_000, Long.MAX_VALUE, -1}}) {
            SelectedEntries selection = SelectedEntries.ofNonDirectories();
            selection.addEntry(path("file"), EntryKind.REGULAR, 0);
            found.clear();
            compare(selection, Symlinks.NEVER, number -> new DataRange(range[0], range[1]));
            assertThat(found).as(Arrays.toString(range))
                    .isEqualTo(range[2] < 0 ? List.of() : List.of("file: content differs at byte " + range[2]));
        }
    }

    @Test
    void theContentOfDirectoriesIsNotCompared() throws IOException {
        both("d/e/one", new byte[]{1}, new byte[]{2});
        Files.setPosixFilePermissions(directory.resolve("b/d/e"), Set.of());
        Files.createDirectory(directory.resolve("a/gone"));
        SelectedEntries selection = SelectedEntries.ofDirectories();
        int number = 0;
        for (String name : List.of("d/e", "d", "gone")) {
            selection.addEntry(path(name), EntryKind.DIRECTORY, number++);
        }
        selection.addEntry(TreePath.root(), EntryKind.DIRECTORY, number);
        assertThat(compare(selection, Symlinks.NEVER, n -> DataRange.ALL).isComplete()).isTrue();
        assertThat(found).containsExactlyInAnyOrder("d/e: mode 0755 | 0000", "gone: only in A (directory)");
        assertThat(paired).containsExactly(0, 1, 3);
        assertThatThrownBy(() -> selection.addEntry(path("file"), EntryKind.REGULAR, 9))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void linksAreFollowedInTheFirstTreeOnly() throws IOException {
        both("file", new byte[]{1}, new byte[]{1});
        Files.createSymbolicLink(directory.resolve("a/link"), Path.of("file"));
        Files.write(directory.resolve("b/link"), new byte[]{1});
        Files.write(directory.resolve("a/other"), new byte[]{1});
        Files.createSymbolicLink(directory.resolve("b/other"), Path.of("file"));
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(path("link"), EntryKind.REGULAR, 0);
        selection.addEntry(path("other"), EntryKind.REGULAR, 1);
        compare(selection, Symlinks.ALWAYS, number -> DataRange.ALL);
        assertThat(found).containsExactly("other: kind regular | symlink");
    }

    @Test
    void entriesBelowAMissingDirectoryAreNotReported() throws IOException {
        Files.createDirectories(directory.resolve("a/d/e"));
        Files.write(directory.resolve("a/d/e/one"), new byte[1]);
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(path("d/e/one"), EntryKind.REGULAR, 0);
        compare(selection, Symlinks.NEVER, number -> DataRange.ALL);
        assertThat(found).hasSize(1).first().asString().contains("/b/d: vanished: open");
        assertThat(paired).isEmpty();
    }

    @Test
    void aRootThatIsNoDirectoryIsComparedItself() throws IOException {
        Files.delete(directory.resolve("a"));
        Files.delete(directory.resolve("b"));
        Files.write(directory.resolve("a"), new byte[]{1});
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        selection.addEntry(TreePath.root(), EntryKind.REGULAR, 4);
        compare(selection, Symlinks.NEVER, number -> DataRange.ALL);
        Files.write(directory.resolve("b"), new byte[]{2});
        compare(selection, Symlinks.NEVER, number -> DataRange.ALL);
        assertThat(found).containsExactly(".: only in A (regular)", ".: content differs at byte 0");
        assertThat(paired).containsExactly(4);
    }

    @Test
    void aSelectionOfWholePathsIsRefused() {
        assertThatThrownBy(() -> compare(SelectedPaths.following(), Symlinks.NEVER, number -> DataRange.ALL))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
