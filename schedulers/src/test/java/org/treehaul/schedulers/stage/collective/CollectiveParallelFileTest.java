// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.strategies.collective.CollectiveException;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.ranks.communicator.Transport;

class CollectiveParallelFileTest {

    private static final ByteString PATH = ByteString.of("result");
    private static final List<Integer> HOSTS = List.of(0, 0, 1, 1);
    private static final int BLOCK = 100;
    private static final int BLOCKS = 300;

    private final byte[] data = new byte[HOSTS.size() * BLOCK * BLOCKS];
    private StageFixture fixture;

    @BeforeEach
    void make() throws Exception {
        fixture = new StageFixture(3);
        new Random(1).nextBytes(data);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Carries out a call of a rank. */
    private interface Access {
        void run(CollectiveRanks ranks, CollectiveParallelFile file, FileView view, ByteBuffer memory)
                throws CollectiveException;
    }

    private void collectively(ParallelFile file, boolean isWrite, Access access) {
        CollectiveSettings settings = CollectiveParallelFile.aligned(CollectiveSettings.defaults().withBuffer(16 << 10),
                file);
        Transport.threads().run(HOSTS, communicator -> {
            FileView view = FileView.vector((long) communicator.rank() * BLOCK, BLOCKS, BLOCK,
                    (long) HOSTS.size() * BLOCK);
            ByteBuffer memory = ByteBuffer.allocate(BLOCK * BLOCKS);
            for (int i = 0; i < BLOCKS; i++) {
                memory.put(i * BLOCK, data, (i * HOSTS.size() + communicator.rank()) * BLOCK, BLOCK);
            }
            ByteBuffer expected = memory.duplicate();
            try (CollectiveRanks ranks = new CollectiveRanks(communicator, settings)) {
                ByteBuffer used = isWrite ? memory : ByteBuffer.allocate(BLOCK * BLOCKS);
                access.run(ranks, new CollectiveParallelFile(file), view, used);
                assertThat(used.flip()).isEqualTo(expected);
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void aParallelFileIsWrittenAndReadByRanks() throws StageException {
        Stage stage = fixture.open();
        try (ParallelFile file = stage.create(PATH, new StripeLayout(StageFixture.servers(3), 3, 4096), 0640)) {
            collectively(file, true, CollectiveRanks::write);
        }
        try (ParallelFile file = fixture.open().open(PATH, false)) {
            ByteBuffer whole = ByteBuffer.allocate(data.length);
            assertThat(file.read(whole, 0)).isEqualTo(data.length);
            assertThat(whole.array()).isEqualTo(data);
            collectively(file, false, CollectiveRanks::read);
            CollectiveParallelFile read = new CollectiveParallelFile(file);
            assertThatThrownBy(() -> read.read(ByteBuffer.allocate(3), data.length - 1))
                    .hasMessage("result: the file ends at byte 120000, 2 bytes too early");
        }
    }

    @Test
    void afterAWriteThatFailedAnAbandonedFileHasNoPath() throws Exception {
        Stage stage = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).from(3).fails(Errno.EIO)));
        try (ParallelFile file = stage.create(PATH, new StripeLayout(StageFixture.servers(3), 3, 4096), 0640)) {
            assertThatThrownBy(() -> collectively(file, true, CollectiveRanks::write))
                    .isInstanceOf(UncheckedIOException.class)
                    .cause()
                    .hasMessageMatching("rank [02].*result.*EIO.*");
            file.abandon();
        }
        assertThatThrownBy(() -> fixture.open().open(PATH, false)).isInstanceOfSatisfying(StageException.class,
                e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        for (String server : StageFixture.servers(3)) {
            fixture.open().segments(server).list(segment -> fail("left: " + segment));
        }
    }
}
