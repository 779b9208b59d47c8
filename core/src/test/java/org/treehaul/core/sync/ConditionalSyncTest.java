// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;

/** Syncs with conditions: an entry that does not meet them is neither copied nor removed. */
class ConditionalSyncTest {

    private final SyncTrees trees = new SyncTrees();

    @AfterEach
    void remove() {
        trees.close();
    }

    private static SyncOptions where(boolean isDry, String... conditions) {
        FileQuery query = FileQuery.parse(Stream.of(conditions).map(SyncTrees::bytes).toList());
        return SyncOptions.defaults()
                .withCopy(CopyOptions.archive().where(query).dryRun(isDry).build())
                .withListsBelow(true);
    }

    private static SyncOptions deleting(String... conditions) {
        return where(false, conditions).withDeletion(SyncOptions.Deletion.BEFORE);
    }

    private static List<String> files(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> !path.equals(root))
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void onlyEntriesThatMeetThemAreCopiedWithTheDirectoriesAbove() throws Exception {
        trees.source(w -> w.file(bytes("a/x.h5"), 5, 1).file(bytes("a/y.txt"), 5, 2).file(bytes("b/z.txt"), 5, 3));
        trees.source(w -> w.file(bytes("c.h5"), 5, 4).directory(bytes("d.h5")).file(bytes("d.h5/y.txt"), 5, 5));
        SyncResult dry = trees.sync(where(true, "name=*.h5"));
        List<String> announced = trees.sortedChanges();
        assertThat(files(trees.copy)).isEmpty();
        SyncResult result = trees.sync(where(false, "name=*.h5"));
        assertThat(files(trees.copy)).containsExactly("a", "a/x.h5", "c.h5", "d.h5");
        assertThat(trees.sortedChanges()).isEqualTo(announced)
                .contains(">f+++++++++ a/x.h5", ">f+++++++++ c.h5", "cd+++++++++ a/", "cd+++++++++ d.h5/");
        assertThat(List.of(result.copied(), result.directories())).isEqualTo(List.of(2L, 2L))
                .isEqualTo(List.of(dry.copied(), dry.directories()));
        assertThat(trees.sync(where(false, "name=*.h5")).isSame()).as("%s", trees.changes).isTrue();
    }

    @Test
    void onlyEntriesThatMeetThemAreRemoved() throws Exception {
        trees.source(w -> w.file(bytes("a/x.h5"), 5, 1).file(bytes("a/y.txt"), 5, 2));
        trees.copy(w -> w.file(bytes("a/y.txt"), 9, 9).file(bytes("a/gone.h5"), 1, 1).file(bytes("a/gone.txt"), 1, 1));
        trees.copy(w -> w.file(bytes("e/x.h5"), 1, 1).file(bytes("e/y.txt"), 1, 1).file(bytes("e.h5/x.h5"), 1, 1));
        trees.copy(w -> w.file(bytes("f.h5/y.txt"), 1, 1).file(bytes("g/x.h5"), 1, 1).file(bytes("h.h5"), 1, 1));
        SyncResult result = trees.sync(deleting("name=*.h5"));
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        assertThat(files(trees.copy)).containsExactly("a", "a/gone.txt", "a/x.h5", "a/y.txt", "e", "e/y.txt", "f.h5",
                "f.h5/y.txt", "g");
        assertThat(result.removed()).isEqualTo(6);
        assertThat(Files.size(trees.copy.resolve("a/y.txt"))).isEqualTo(9);
        assertThat(trees.sync(deleting("name=*.h5")).isSame()).as("%s", trees.changes).isTrue();
    }

    @Test
    void anEntryThatIsReplacedIsKeptWhetherOrNotItMeetsThem() throws Exception {
        trees.source(w -> w.file(bytes("f"), 500, 1));
        trees.copy(w -> w.file(bytes("f"), 5, 2));
        assertThat(trees.sync(deleting("size>100").withBackup(bytes("../kept"))).isSuccess()).isTrue();
        assertThat(Files.size(trees.copy.resolve("f"))).isEqualTo(500);
        assertThat(Files.size(trees.place.resolve("kept/f"))).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDirectoryInTheWayIsReplacedWhetherOrNotItMeetsThem(boolean isEmpty) throws Exception {
        trees.source(w -> w.file(bytes("f"), 500, 1));
        trees.copy(w -> w.directory(bytes("f")));
        if (!isEmpty) {
            trees.copy(w -> w.file(bytes("f/d/small"), 5, 2).file(bytes("f/large"), 500, 2));
            assertThat(trees.sync(where(false, "kind=regular", "size>100")).isSuccess()).isFalse();
            assertThat(files(trees.copy)).containsExactly("f", "f/d", "f/d/small", "f/large");
        }
        SyncResult result = trees.sync(isEmpty ? where(false, "kind=regular") : deleting("kind=regular", "size>100"));
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        assertThat(Files.size(trees.copy.resolve("f"))).isEqualTo(500);
        assertThat(trees.sync(deleting("kind=regular")).isSame()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void rsyncWithTheListOfFindLeavesTheSameTree(int seed) throws Exception {
        Installed.require("rsync");
        compare(seed, "kind=regular", "-type f");
        compare(seed, "size>5", "-size +5c");
        compare(seed, "name=[ab]", "-name [ab]");
    }

    // GNU find lists the entries of the source, and rsync copies them.
    private static void compare(long seed, String condition, String find) throws Exception {
        try (SyncTrees trees = new SyncTrees()) {
            SyncTrees.random(trees.source, seed);
            Path theirs = trees.place.directory("theirs");
            List<String> output = new ArrayList<>();
            int code = SyncTrees.run(output, "sh", "-c",
                    "cd " + trees.source + " && find . -mindepth 1 ! -type d " + find.replace("[ab]", "'[ab]'")
                            + " -printf '%P\\n' > ../list; timeout 60 rsync -aAX --files-from=../list . " + theirs);
            assertThat(code).as("%s", output).isZero();
            SyncResult result = trees.sync(where(false, condition, "kind!=directory"));
            String report = "seed " + seed + condition + result + trees.events;
            assertThat(result.isSuccess()).as(report).isTrue();
            TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                    .as(report)
                    .ignoring(Aspect.HOLES, Aspect.ROOT, Aspect.LINKS)
                    .isCopyOf(SyncTrees.listing(theirs));
        }
    }
}
