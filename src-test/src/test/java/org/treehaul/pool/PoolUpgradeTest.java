// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/**
 * A site replaces the workers of a pool one after another: older ones, then a newer one beside them, then only the
 * newer one, while both versions have transfers in the pool.
 */
@Tag("rig")
class PoolUpgradeTest {

    private static final int NEWER = 2;

    private final PoolNodes pool = new PoolNodes();

    private Set<Long> workers(String id) {
        return Attempt.all(pool.transfer(id)).stream().map(Attempt::pid).collect(Collectors.toSet());
    }

    @Test
    void workersAreReplacedWhileTheyWork() throws Exception {
        try (pool) {
            Path older = OlderJar.in(pool.directory.path());
            assertThat(Run.of(Run.commandOfOtherJar(older, "--version").toArray()).expect(0).out())
                    .startsWith(OlderJar.VERSION);
            String space = "sqlite:" + pool.directory.resolve("pool");
            Path source = pool.tree(100, 2_000);
            Path ofOlder = pool.directory.directory("older").resolve("copy");
            Path ofNewer = pool.directory.directory("newer").resolve("copy");
            String before = pool.submitBy(older, space, source, ofOlder, "--batch-files", 1, "--bandwidth", "2K");
            List<Process> old = List.of(pool.workerOf(older, space), pool.workerOf(older, space));
            PoolNodes.await("both older ones work")
                    .until(() -> workers(before).containsAll(old.stream().map(Process::pid).toList()));

            String after = pool.submit(space, source, ofNewer, "--batch-files", 1, "--bandwidth", "2K");
            for (int i = 0; i < old.size(); i++) {
                pool.awaitSaid(i, "is of format 2");
            }
            assertThat(Attempt.all(pool.transfer(after))).as("left to others").isEmpty();
            long newer = pool.worker(List.of(), space).pid();
            PoolNodes.await("the newer one works beside the older ones").until(() -> workers(after).contains(newer));
            pool.end(0);
            pool.end(1);
            assertThat(Attempt.all(pool.transfer(before))).as("what the older ones began").hasSizeLessThan(100);
            PoolNodes.await("the newer one continues what they left").until(() -> workers(before).contains(newer));
            pool.treehaul("limit", before, "none").expect(0);
            pool.treehaul("limit", after, "none").expect(0);
            pool.awaitComplete(before);
            pool.awaitComplete(after);
            pool.end(NEWER);
            assertThat(workers(after)).containsExactly(newer);
            assertThat(pool.said(0)).containsOnlyOnce("is of format 2");
            for (String id : List.of(before, after)) {
                assertThat(Attempt.all(pool.transfer(id))
                        .stream()
                        .filter(Attempt::hasEnd)
                        .map(attempt -> attempt.name().batch())
                        .collect(Collectors.toSet())).as("ended batches of %s", id).hasSizeGreaterThanOrEqualTo(100);
            }
            pool.assertCopied(source, ofOlder);
            pool.assertCopied(source, ofNewer);
        }
    }
}
