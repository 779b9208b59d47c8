// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StripeLayout;

class StripeReadTest {

    private static final ByteString PATH = ByteString.of("file");
    private static final int STRIPE = 64;

    private final AtomicInteger questions = new AtomicInteger();

    private Stage counting(StageFixture fixture) {
        return fixture.open(server -> {
            Segments segments = LocalServers.opener(Linux.calls()).open(server);
            return new SegmentsOver() {
                @Override
                protected Segments segments() {
                    return segments;
                }

                @Override
                public void readSums(SegmentKey key, long first, long[] into) throws StageException {
                    questions.incrementAndGet();
                    super.readSums(key, first, into);
                }
            };
        });
    }

    private static StripeLayout layout(int servers) {
        return new StripeLayout(StageFixture.servers(servers), servers, STRIPE);
    }

    private static byte[] read(StripeRead reading, int from, int size) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(STRIPE);
            for (long at = from; at < size; at += STRIPE) {
                reading.read(at, size, buffer, (bytes, offset, isAgain) -> {
                    byte[] found = bytes.toArray(ValueLayout.JAVA_BYTE);
                    if (isAgain) {
                        byte[] before = all.toByteArray();
                        all.reset();
                        all.write(before, 0, (int) offset - from);
                    }
                    all.writeBytes(found);
                }, failure -> {});
            }
        }
        return all.toByteArray();
    }

    @Test
    void aServerIsAskedForTheChecksumsOfManyStripesAtOnce() throws Exception {
        byte[] content = StageFixture.content(1, 1500 * STRIPE + 5);
        try (StageFixture fixture = new StageFixture(2); Stage stage = counting(fixture)) {
            StageFixture.make(stage, PATH, layout(2), content);
            questions.set(0);

            try (ParallelFile file = stage.open(PATH, false)) {
                assertThat(read(new StripeRead(stage, file.staged()), 0, content.length)).isEqualTo(content);
            }

            // 751 stripes of each server, 512 at once.
            assertThat(questions).hasValue(4);
        }
    }

    @Test
    void aStripeThatWasWrittenAfterTheChecksumsWereReadIsComparedWithItsOwn() throws Exception {
        byte[] content = StageFixture.content(2, 4 * STRIPE);
        try (StageFixture fixture = new StageFixture(1); Stage stage = counting(fixture)) {
            StageFixture.make(stage, PATH, layout(1), content);
            try (ParallelFile file = stage.open(PATH, false)) {
                StripeRead reading = new StripeRead(stage, file.staged());
                read(reading, 0, STRIPE);
                byte[] other = StageFixture.content(3, STRIPE);
                try (Stage second = fixture.open(); ParallelFile written = second.open(PATH, true)) {
                    written.write(ByteBuffer.wrap(other), 2 * STRIPE);
                }
                System.arraycopy(other, 0, content, 2 * STRIPE, STRIPE);

                assertThat(read(reading, STRIPE, content.length))
                        .isEqualTo(Arrays.copyOfRange(content, STRIPE, content.length));
            }
        }
    }

    @Test
    void aStripeThatIsWrittenAgainWheneverItsChecksumWasReadIsNotDamaged() throws Exception {
        AtomicInteger left = new AtomicInteger(3);
        byte[] last = StageFixture.content(0, STRIPE);
        try (StageFixture fixture = new StageFixture(1); Stage writing = fixture.open()) {
            StageFixture.make(writing, PATH, layout(1), StageFixture.content(9, STRIPE));
            Stage stage = fixture.open(server -> {
                Segments segments = LocalServers.opener(Linux.calls()).open(server);
                return new SegmentsOver() {
                    @Override
                    protected Segments segments() {
                        return segments;
                    }

                    @Override
                    public void readSums(SegmentKey key, long first, long[] into) throws StageException {
                        super.readSums(key, first, into);
                        if (left.get() > 0) {
                            try (ParallelFile written = writing.open(PATH, true)) {
                                written.write(ByteBuffer.wrap(StageFixture.content(left.decrementAndGet(), STRIPE)), 0);
                            }
                        }
                    }
                };
            });
            try (ParallelFile file = stage.open(PATH, false)) {
                assertThat(read(new StripeRead(stage, file.staged()), 0, STRIPE)).isEqualTo(last);
            }
        }
    }

    @Test
    void aStripeThatTheDiskChangedIsDamaged() throws Exception {
        byte[] content = StageFixture.content(4, 4 * STRIPE);
        try (StageFixture fixture = new StageFixture(1); Stage stage = counting(fixture)) {
            StageFixture.make(stage, PATH, layout(1), content);
            try (ParallelFile file = stage.open(PATH, false)) {
                StripeRead reading = new StripeRead(stage, file.staged());
                read(reading, 0, STRIPE);
                content[2 * STRIPE] ^= 1;
                Files.write(fixture.server(1).resolve(file.staged().key(0).name()), content);

                read(reading, STRIPE, 2 * STRIPE);
                assertThatThrownBy(() -> read(reading, 2 * STRIPE, 3 * STRIPE))
                        .isInstanceOf(StripeRead.DamagedException.class)
                        .hasMessageContaining("stripe 2 of segment 0 on server d1: the checksum differs");
            }
        }
    }
}
