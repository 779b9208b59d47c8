// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;
import org.treehaul.pool.PoolNodes;
import org.treehaul.tuplespace.PostgresServer;

/**
 * A pool that runs out of room: on the disk of its server, in its file, at the destination, and in the state directory.
 */
@Tag("rig")
class FullPoolTest {

    /** A pool, a worker and a copy that has begun. */
    private static final class Copy {
        final PoolNodes pool;
        final Path source;
        final Path target;
        final String id;

        Copy(PoolNodes pool, String space, Path target) throws Exception {
            this.pool = pool;
            this.target = target;
            source = pool.tree(100, 20_000);
            id = pool.submit(space, source, target, "--batch-files", 1, "--bandwidth", "200K", "--no-space-check");
            pool.worker(List.of(), space);
            PoolNodes.await("it has begun").until(() -> Files.exists(target.resolve("d0")));
        }

        // On a busy machine the copy may have ended by then.
        void hurry() throws Exception {
            Run limit = pool.treehaul("limit", id, "none");
            assertThat(limit.code() == 0 || limit.err().contains("there is nothing to limit")).as(limit.err()).isTrue();
        }

        void expectCopied() throws Exception {
            pool.awaitComplete(id);
            pool.end(0);
            pool.assertCopied(source, target);
            assertThat(pool.said()).doesNotContain("Exception");
        }
    }

    private static Copy copy(PoolNodes pool, String space) throws Exception {
        return new Copy(pool, space, pool.directory.resolve("target"));
    }

    @Test
    void workersWaitForRoomOnTheDiskOfTheServer() throws Exception {
        try (Mount disk = Mount.tmpfs("size=160m")) {
            Files.setPosixFilePermissions(disk.path().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
            try (PostgresServer server = PostgresServer.startIn(disk.path(), "max_wal_size=32MB");
                    PoolNodes pool = new PoolNodes()) {
                Copy copy = copy(pool, server.fresh().toString());
                Path ballast = fill(disk, server);
                pool.awaitSaid(0, "the pool does not answer, and is tried again");
                assertThat(pool.said()).contains("No space left on device");
                Files.delete(ballast);
                server.revive();
                pool.awaitSaid(0, "the pool answers again");
                copy.hurry();
                copy.expectCopied();
            }
        }
    }

    // Also uses up the room in files that the server has already.
    private static Path fill(Mount disk, PostgresServer server) throws IOException {
        Path ballast = disk.fillBut(0);
        try {
            server.run("CREATE TABLE public.ballast AS SELECT generate_series(1, 10000000)");
        } catch (SQLException full) {
            // As intended.
        }
        return ballast;
    }

    @Test
    void aPoolInAFileLosesNothingOnAFullDisk() throws Exception {
        try (Mount disk = Mount.tmpfs("size=2m,mode=700"); PoolNodes pool = new PoolNodes()) {
            Copy copy = copy(pool, disk.resolve("pool").toString());
            Path ballast = disk.fillBut(0);
            copy.hurry();
            PoolNodes.await("it is full or done")
                    .until(() -> pool.said(0).contains("the pool does not answer")
                            || Files.exists(pool.transfer(copy.id).resolve("generations/1.end")));
            Files.delete(ballast);
            copy.expectCopied();
        }
    }

    @Test
    void aFullDestinationLosesNothingAndResumeContinues() throws Exception {
        try (Mount disk = Mount.tmpfs("size=1m,mode=700"); PoolNodes pool = new PoolNodes()) {
            Copy copy = new Copy(pool, pool.directory.resolve("pool").toString(), disk.resolve("target"));
            copy.hurry();
            PoolNodes.await("it ends")
                    .until(() -> pool.treehaul("status", copy.id).expect(0).out().contains("partial"));
            assertThat(pool.said()).contains("No space left on device");
            Transfers.assertWhole(copy.source, copy.target);
            disk.remount("size=20m");
            pool.treehaul("resume", copy.id).expect(0);
            copy.expectCopied();
        }
    }

    @Test
    void aFullStateDirectoryStopsItsTransferOnlyUntilThereIsRoom() throws Exception {
        try (Mount disk = Mount.tmpfs("size=60m,mode=700"); PoolNodes pool = new PoolNodes(disk.resolve("state"))) {
            Copy copy = copy(pool, pool.directory.resolve("pool").toString());
            Path ballast = disk.fillBut(0);
            pool.awaitSaid(0, "No space left on device");
            Files.delete(ballast);
            copy.hurry();
            copy.expectCopied();
        }
    }
}
