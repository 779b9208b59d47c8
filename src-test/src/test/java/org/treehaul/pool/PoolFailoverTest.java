// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.PostgresServer;

/**
 * A pool whose address names two servers: when the first one dies and the second one is promoted, the workers continue.
 */
@Tag("rig")
class PoolFailoverTest {

    @Test
    void workersGoOnWithTheStandbyThatIsPromoted() throws Exception {
        try (PostgresServer first = PostgresServer.start();
                PostgresServer second = first.standby();
                PoolNodes pool = new PoolNodes()) {
            String space = first.fresh()
                    .toString()
                    .replace(":" + first.port(), ":" + first.port() + ",127.0.0.1:" + second.port())
                    + "&target_session_attrs=read-write";
            Path source = pool.tree(60, 20_000);
            Path target = pool.directory.resolve("target");
            String id = pool.submit(space, source, target, "--batch-files", 1, "--bandwidth", "100K");
            pool.worker(List.of(), space);
            pool.worker(List.of(), space);
            PoolNodes.await("both work").until(() -> Attempt.all(pool.transfer(id)).size() > 5);
            PoolNodes.await("the standby has all offers")
                    .until(() -> first.number(
                            "SELECT count(*) FROM pg_stat_replication WHERE pg_current_wal_lsn() - replay_lsn < 100000") == 1);
            first.kill();
            pool.awaitSaid(0, "the pool does not answer");
            pool.awaitSaid(1, "the pool does not answer");
            assertThat(pool.said()).contains("start the primary, or promote a standby");
            second.promote();
            pool.awaitSaid(0, "the pool answers again");
            pool.treehaul("limit", id, "none").expect(0);
            pool.awaitComplete(id);
            pool.end(0);
            pool.end(1);
            pool.assertCopied(source, target);
            assertThat(pool.said()).doesNotContain("Exception");
        }
    }
}
