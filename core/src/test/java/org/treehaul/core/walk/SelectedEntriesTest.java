// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.walk.Walks.path;

import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.WalkOptions;

class SelectedEntriesTest {

    private final WalkedTree tree = new WalkedTree();
    private final Map<Integer, String> passed = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

    @AfterEach
    void removeTree() {
        tree.close();
    }

    /** Describes each entry that is passed; some of them give the entries after them to other workers. */
    private final class Described implements WalkHandler<Boolean> {

        private final Predicate<FoundEntry<Boolean>> givesAway;

        Described(Predicate<FoundEntry<Boolean>> givesAway) {
            this.givesAway = givesAway;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) {
            if (found.number() < 0) {
                return Step.CONTINUE;
            }
            byte[] name = found.name().toArray(ValueLayout.JAVA_BYTE);
            boolean isSame = Arrays.equals(Arrays.copyOf(found.nameBytes(), found.nameLength() + 1), name);
            String before = passed.put(found.number(),
                    found.path() + " " + found.kind() + " " + found.inode() + (found.isFollowed() ? " followed" : ""));
            if (before != null || !isSame) {
                problems.add(found.path() + (before != null ? " was passed twice" : " differs in native memory"));
            }
            if (givesAway.test(found)) {
                found.worker().giveAwayRest();
            }
            return Step.CONTINUE;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return true;
        }

        @Override
        public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            // Nothing to finish.
        }

        @Override
        public void failed(EntryFailure failure) {
            problems.add(failure.toString());
        }
    }

    private void walk(PathSelection selection, Predicate<FoundEntry<Boolean>> givesAway) {
        TreeWalker.of(Linux.calls(), WalkOptions.defaults().withThreads(3).withStatus(false))
                .walkWith(List.of(Root.of(tree.root().path(), selection)),
                        (WalkWorker<Boolean> worker) -> new Described(givesAway), new Cancellation(), workers -> {
                        });
    }

    // The names need not exist: the kinds are known, and the walk makes no call for them.
    @ParameterizedTest
    @ValueSource(ints = {1, 700, Integer.MAX_VALUE})
    void eachEntryOfSeveralBlocksIsPassedOnceHoweverOftenTheRestIsGivenAway(int interval) {
        tree.make(writer -> writer.file(path("d/other"), 0, 1));
        EntryKind[] kinds = {EntryKind.REGULAR, EntryKind.SYMLINK, EntryKind.FIFO};
        SelectedEntries selection = SelectedEntries.ofNonDirectories();
        Map<Integer, String> expected = new HashMap<>();
        for (int i = 0; i < 3_000; i++) {
            String name = "d/" + "n".repeat(1 + i * 7 % 250) + i;
            selection.addEntry(TreePath.of(name.getBytes(StandardCharsets.ISO_8859_1)), kinds[i % 3], i);
            expected.put(i, name + " " + kinds[i % 3] + " 0");
        }
        SelectedEntries below = Objects.requireNonNull(selection.children().get(ByteString.of("d")));
        assertThat(below.entries().length()).isGreaterThan(FileAccess.LISTING_BYTES);
        walk(selection, found -> found.number() % interval == interval - 1);
        assertThat(problems).isEmpty();
        assertThat(passed).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void directoriesReachedThroughLinksAreMarkedInEachPart(boolean givesAway) {
        tree.make(writer -> writer.file(path("real/d/file"), 0, 1).symlink(path("link"), path("real")));
        SelectedEntries selection = SelectedEntries.ofDirectories();
        List<String> names = List.of("real", "link", "real/d", "link/d");
        for (int i = 0; i < names.size(); i++) {
            selection.addEntry(TreePath.of(names.get(i).getBytes(StandardCharsets.ISO_8859_1)), EntryKind.DIRECTORY, i);
        }
        selection.follow(TreePath.of("link".getBytes(StandardCharsets.ISO_8859_1)));
        walk(selection, found -> givesAway);
        assertThat(problems).isEmpty();
        assertThat(passed).isEqualTo(Map.of(0, "real DIRECTORY 0", 1, "link DIRECTORY 0 followed", 2,
                "real/d DIRECTORY 0", 3, "link/d DIRECTORY 0"));
    }
}
