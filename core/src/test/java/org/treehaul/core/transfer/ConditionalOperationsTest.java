// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.FindCondition;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.WalkOptions;

/** Removals and changes with conditions, in one process and by workers: they touch what GNU find selects. */
class ConditionalOperationsTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<String> removed = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        } else if (event instanceof Event.Removed one) {
            removed.add(one.path().utf8().orElseThrow());
        }
    };

    @AfterEach
    void close() {
        directory.close();
    }

    // Entries that find selects are removed, but directories only if nothing is left in them.
    private static Set<String> left(Set<String> all, Set<String> selected) {
        Set<String> left = new TreeSet<>(all);
        // Everything below a directory has a greater path.
        for (String path : new TreeSet<>(all).descendingSet()) {
            if (selected.contains(path) && left.stream().noneMatch(other -> other.startsWith(path + "/"))) {
                left.remove(path);
            }
        }
        return left;
    }

    private void transfer(Operation.OnEntries operation, Path root, FileQuery where) throws IOException {
        Transfers transfers = Transfers.in(directory.resolve("state"));
        TransferDirectory transfer = WalkedPlans.onEntries(transfers, operation, root,
                WalkOptions.defaults().withThreads(2).withWhere(where), 3, listener, Timing.defaults());
        TransferResult result = TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(2)
                .run(transfers.start(transfer), listener, new Progress(), new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        PathUtils.deleteDirectory(transfer.path());
    }

    private void remove(Path root, FileQuery where, boolean isDry) {
        RemoveOptions options = new RemoveOptions(true, false, false, isDry, true, 3).withWhere(where);
        TreeRemover.of(Linux.calls(), options)
                .remove(List.of(ByteString.of(root.toString())), listener, new Progress(), new Cancellation());
    }

    @Test
    void aRemovalRemovesWhatFindSelects() throws Exception {
        remove(100, 1);
    }

    @Tag("campaign")
    @Test
    void aRemovalRemovesWhatFindSelectsInManyTrees() throws Exception {
        remove(Campaign.cases(1_000), Campaign.seed(23));
    }

    private void remove(int cases, long seed) throws Exception {
        long count = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            Path root = directory.resolve("tree" + i);
            List<Path> made = FindCondition.makeTree(random, root);
            FindCondition condition = FindCondition.random(random, made);
            FileQuery where = condition.query(false);
            Set<String> all = FindCondition.all(root);
            Set<String> left = left(all, condition.find(root));
            removed.clear();
            remove(root, where, true);
            assertThat(FindCondition.all(root)).isEqualTo(all);
            Set<String> reported = new TreeSet<>(all);
            reported.removeAll(left);
            assertThat(removed).as("seed %d: %s", seed + i, condition).containsExactlyInAnyOrderElementsOf(reported);
            // Without a plan, the first name that is removed lowers the number of links of the others.
            if (i % 2 == 0 && !condition.ours().contains("links>1")) {
                remove(root, where, false);
            } else {
                transfer(new Operation.Remove(), root, where);
            }
            assertThat(FindCondition.all(root)).as("seed %d: %s", seed + i, condition).isEqualTo(left);
            assertThat(failures).isEmpty();
            count += reported.size();
            if (Files.exists(root)) {
                PathUtils.deleteDirectory(root);
            }
        }
        // Otherwise the cases would remove nothing.
        assertThat(count).isGreaterThan(cases);
    }

    @Test
    void aChangeByWorkersChangesWhatFindSelects() throws Exception {
        change(50, 1);
    }

    @Tag("campaign")
    @Test
    void aChangeByWorkersChangesWhatFindSelectsInManyTrees() throws Exception {
        change(Campaign.cases(500), Campaign.seed(29));
    }

    private void change(int cases, long seed) throws Exception {
        long count = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            Path root = directory.resolve("tree" + i);
            List<Path> made = FindCondition.makeTree(random, root);
            FindCondition condition = FindCondition.random(random, made);
            Set<Object> expected = new HashSet<>();
            for (String path : condition.find(root)) {
                if (!Files.isSymbolicLink(Path.of(path))) {
                    expected.add(file(path));
                }
            }
            transfer(new Operation.ChangeMode(ModeChange.parse("701", 0)), root, condition.query(false));
            Set<Object> changed = new HashSet<>();
            for (String path : FindCondition.all(root)) {
                if (!Files.isSymbolicLink(Path.of(path))
                        && PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(path)))
                                .equals("rwx-----x")) {
                    changed.add(file(path));
                }
            }
            assertThat(changed).as("seed %d: %s", seed + i, condition).isEqualTo(expected);
            count += changed.size();
            PathUtils.deleteDirectory(root);
        }
        assertThat(count).isGreaterThan(cases);
    }

    // The same for all names of a file.
    private static Object file(String path) throws IOException {
        return Files.getAttribute(Path.of(path), "unix:ino");
    }
}
