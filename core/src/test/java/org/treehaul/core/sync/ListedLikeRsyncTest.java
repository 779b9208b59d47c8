// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;

/** Syncs random lists of paths, and does the same with rsync: both must leave the same tree. */
class ListedLikeRsyncTest {

    // A list without -r is not recursive, even with -a.
    private static final List<String> RSYNC = List.of("timeout", "60", "rsync", "-aHAX", "-r", "--modify-window=-1");
    private static final SyncOptions DELETING = SyncOptions.defaults()
            .withDeletion(SyncOptions.Deletion.BEFORE)
            .withForced(true);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void aListLeavesTheTreeThatRsyncLeaves(int seed) throws Exception {
        compare(seed, SyncOptions.defaults());
        compare(seed, DELETING, "--delete", "--delete-missing-args");
    }

    @Test
    @Tag("campaign")
    void manyListsLeaveTheTreesThatRsyncLeaves() throws Exception {
        long seed = Campaign.seed(3000);
        int cases = Campaign.cases(400);
        int ended = 0;
        for (int i = 0; i < cases; i++) {
            ended += compare(seed + i, SyncOptions.defaults()) ? 1 : 0;
            ended += compare(seed + i, DELETING, "--delete", "--delete-missing-args") ? 1 : 0;
        }
        System.out.println("rsync ended in " + ended + " of " + 2 * cases + " syncs; the others were left out");
        assertThat(ended).isGreaterThan(cases);
    }

    private static String[] randomList(SyncTrees trees, long seed) {
        SortedSet<ByteString> known = new TreeSet<>(SyncTrees.listing(trees.source).byPath().keySet());
        known.addAll(SyncTrees.listing(trees.copy).byPath().keySet());
        Random random = new Random(seed);
        List<String> paths = new ArrayList<>();
        // No path below another one: rsync looks up each, also below what a removal takes away.
        known.forEach(path -> {
            boolean isBelow = !paths.isEmpty() && path.toString().startsWith(paths.getLast() + "/");
            boolean isTaken = random.nextInt(5) == 0;
            if (path.length() > 0 && !isBelow && isTaken && !isBehindBrokenLink(trees.source, path.toString())) {
                paths.add(path.toString());
            }
        });
        if (paths.isEmpty()) {
            paths.add("a");
        }
        return paths.toArray(new String[0]);
    }

    // Here such a path is a failure, for rsync it is missing.
    private static boolean isBehindBrokenLink(Path root, String path) {
        return isBehindLink(root, path, true);
    }

    private static boolean isBehindLink(Path root, String path, boolean isBroken) {
        for (Path at = Path.of(path).getParent(); at != null; at = at.getParent()) {
            Path above = root.resolve(at);
            if (Files.isSymbolicLink(above) && Files.exists(above) != isBroken) {
                return true;
            }
        }
        return false;
    }

    // Returns whether rsync came to its end, so that the trees could be compared.
    private static boolean compare(long seed, SyncOptions options, String... more) throws Exception {
        Installed.require("rsync");
        try (SyncTrees trees = new SyncTrees()) {
            SyncTrees.random(trees.source, seed);
            SyncTrees.random(trees.copy, seed + 1_000_000);
            Path theirs = trees.place.directory("theirs");
            SyncTrees.random(theirs, seed + 1_000_000);
            String[] paths = randomList(trees, seed);

            List<String> ours = new ArrayList<>();
            SyncResult result = TreeSync.of(Linux.calls(), options, trees.place.path())
                    .ofPaths(ListedSyncTest.list(paths))
                    .sync(bytes(trees.source.toString()), bytes(trees.copy.toString()), change -> {
                    }, event -> ours.add(event.toString()), new Progress(), new Cancellation());

            Path list = Files.writeString(trees.place.resolve("list"), String.join("\n", paths) + "\n",
                    StandardCharsets.ISO_8859_1);
            List<String> output = new ArrayList<>();
            String[] command = Stream
                    .of(RSYNC.stream(), Stream.of(more),
                            Stream.of("--files-from=" + list, trees.source + "/", theirs.toString()))
                    .flatMap(part -> part)
                    .toArray(String[]::new);
            int code = SyncTrees.run(output, command);
            boolean isAgain = code != 0 && output.stream().anyMatch(line -> line.contains("get_acl: sys_acl_get_file"));
            if (isAgain) {
                code = SyncTrees.run(output, command);
            }
            if (code != 0 && code != 23) {
                return false;
            }
            String report = "seed " + seed + " " + String.join(" ", more) + "\nlist " + String.join(" ", paths)
                    + "\nours " + result + ours + "\ntheirs " + output;
            assertThat(result.isSuccess()).as(report).isEqualTo(code == 0);
            if (code != 0 && options.deletes()) {
                // After any error rsync removes nothing.
                return false;
            }
            // Behind a link, names of a file appear that are not its names.
            boolean isTwice = Stream.of(paths).anyMatch(path -> isBehindLink(trees.source, path, false));
            // After a failure rsync leaves directories on the way that lead to nothing as they are.
            TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                    .as(report)
                    .ignoring(Aspect.HOLES, Aspect.ROOT, Aspect.DIRECTORY_TIMES, code == 0 ? Aspect.ROOT : Aspect.MODE,
                            isTwice ? Aspect.LINKS : Aspect.ROOT)
                    .isCopyOf(SyncTrees.listing(theirs));
            return true;
        }
    }
}
