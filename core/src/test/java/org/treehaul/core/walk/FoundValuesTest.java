// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.FindCondition;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Conditions on live trees select what GNU find selects. */
class FoundValuesTest {

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void conditionsSelectWhatFindSelects() throws Exception {
        select(100, 1);
    }

    @Tag("campaign")
    @Test
    void conditionsSelectWhatFindSelectsInManyTrees() throws Exception {
        select(Campaign.cases(1_000), Campaign.seed(17));
    }

    @Test
    void aStatusThatAConditionReadIsNotReadAgain() throws Exception {
        Path root = Files.createDirectory(directory.resolve("tree"));
        for (int i = 0; i < 20; i++) {
            Files.write(root.resolve("f" + i), new byte[i]);
        }
        List<Long> sizes = Collections.synchronizedList(new ArrayList<>());
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        FileQuery where = FileQuery.parse(List.of(ByteString.of("size>=10"), ByteString.of("age<1d")));
        TreeWalker.of(calls, WalkOptions.defaults().withStatus(false).withThreads(1).withWhere(where))
                .walkWith(List.of(Root.of(root)),
                        (WalkWorker<Boolean> worker) -> new Collector(List.of(Root.of(root)), where) {
                            @Override
                            public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
                                if (found.kind() == EntryKind.REGULAR) {
                                    // Another status in between.
                                    found.access().status(found.parentDescriptor());
                                    assertThat(found.status().inode()).isEqualTo(found.inode());
                                    sizes.add(found.status().size());
                                }
                                return Step.CONTINUE;
                            }
                        }, new Cancellation(), workers -> {
                        });
        assertThat(sizes).containsExactlyInAnyOrder(10L, 11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L);
        assertThat(calls.count(Call.STATX)).as("each file, the directory ten times, and the root twice")
                .isEqualTo(20 + 10 + 2);
    }

    private void select(int cases, long seed) throws Exception {
        int found = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            Path root = directory.resolve("tree" + i);
            List<Path> made = FindCondition.makeTree(random, root);
            for (int question = 0; question < 4; question++) {
                FindCondition condition = FindCondition.random(random, made);
                Set<String> expected = condition.find(root);
                assertThat(walk(root, condition.query(false))).as("seed %d: %s", seed + i, condition)
                        .isEqualTo(expected);
                found += expected.size();
            }
        }
        // Otherwise the cases would compare nothing with nothing.
        assertThat(found).isGreaterThan(cases);
    }

    private static Set<String> walk(Path root, FileQuery where) {
        List<Root> roots = List.of(Root.of(root));
        WalkResult<Collector> result = TreeWalker
                .of(Linux.calls(), WalkOptions.defaults().withStatus(false).withThreads(2).withWhere(where))
                .walkWith(roots, worker -> new Collector(roots, where), new Cancellation(), workers -> {
                });
        Set<String> all = new TreeSet<>();
        result.workers().forEach(collector -> all.addAll(collector.paths));
        return all;
    }

    /** Collects the entries that meet the conditions. */
    private static class Collector implements WalkHandler<Boolean> {

        private final FoundValues values;
        private final FileQuery where;
        private final List<String> paths = new ArrayList<>();

        Collector(List<Root> roots, FileQuery where) {
            this.values = new FoundValues(roots);
            this.where = where;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            boolean isMatch = where.matches(values.of(found));
            assertThat(isMatch || found.kind() == EntryKind.DIRECTORY).isTrue();
            if (isMatch) {
                paths.add(values.path().utf8().orElseThrow());
            }
            return Step.CONTINUE;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> entered, WalkWorker<Boolean> worker) {
            return Boolean.TRUE;
        }

        @Override
        public void leave(WalkDirectory<Boolean> left, WalkWorker<Boolean> worker) {
            // All was collected on the way down.
        }

        @Override
        public void failed(EntryFailure failure) {
            throw new AssertionError(failure.toString());
        }
    }
}
