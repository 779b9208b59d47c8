// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.StripeSum;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;

/** The bytes of the protocol. A change of one of them needs another version. */
class WireFormatTest {

    private static final SegmentKey KEY = new SegmentKey(new UUID(1, 2), 3, 4);

    private static String hex(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        buffer.release();
        return HexFormat.of().formatHex(bytes);
    }

    private static ByteBuf bytes(String hex) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
    }

    @Test
    void versionFourHasTheseGreetings() {
        byte[] number = new byte[Greeting.NUMBER_BYTES];
        number[0] = 9;
        String nine = "09" + "00".repeat(31);
        assertThat(hex(Greeting.ofServer(ByteBufAllocator.DEFAULT, number))).isEqualTo("54485345474d4e540004" + nine);
        assertThat(hex(Greeting.ofClient(ByteBufAllocator.DEFAULT, new UUID(1, 2), number, number)))
                .isEqualTo("54485345474d4e54000400000000000000010000000000000002" + nine + nine);
        assertThat(hex(Greeting.welcome(ByteBufAllocator.DEFAULT, number, new UUID(1, 2), 1 << 20)))
                .isEqualTo("77" + nine + "0000000000000001000000000000000200100000");
    }

    @Test
    void versionFourHasTheseRequests() throws Exception {
        String write = "000000680000000077000000000000000700000000000000000000000000000000000000"
                + "000000000000000000000000000000000000000000000000010000000000000002000000"
                + "000000000300000004000000000000000000000001000000000000000500000003616263" + "f866e795";
        String read = "000000710000001072000000000000000800000000000000000000000000000000000000"
                + "000000000000000000000000000000000000000000000000010000000000000002000000"
                + "000000000300000004000000000000000000000002000000000000000000000006000000"
                + "02000000000000000af246aa83";
        String put = "0000005c0000000070000000000000000700000000000000000000000000000000000000"
                + "000000000000000000000000000000000000000000000000010000000000000002000000"
                + "00000000030000000400000003000000090000000061626364839a64";
        String collective = "0000005900000000720000000000000008fffffffffffffffe0000000000000005000000"
                + "000000000600000000000000070000000800000000000000010000000000000002000000"
                + "000000000300000004000000000000000000000000d5a1216e";
        assertThat(hex(new Request(Operation.WRITE, 7, KEY, 0, List.of(new SegmentRange(5, 3)),
                List.of(Bytes.memory("abc".getBytes(StandardCharsets.US_ASCII))), 0).frame(ByteBufAllocator.DEFAULT)))
                .isEqualTo(write);
        assertThat(hex(
                new Request(Operation.READ, 8, KEY, 0, List.of(new SegmentRange(0, 6), new SegmentRange(1L << 33, 10)),
                        List.of(), 16).frame(ByteBufAllocator.DEFAULT)))
                .isEqualTo(read);
        assertThat(hex(new Request(Operation.READ, 8, KEY, 0, List.of(), List.of(), 0,
                new CollectiveRequest(-2, 5, 0, new ShuffleHint(6, 7, 8))).frame(ByteBufAllocator.DEFAULT)))
                .isEqualTo(collective);
        assertThat(hex(new Request(Operation.PUT, 7, KEY, StripeSum.of(3, 9), List.of(),
                List.of(Bytes.memory("abc".getBytes(StandardCharsets.US_ASCII))), 0).frame(ByteBufAllocator.DEFAULT)))
                .isEqualTo(put);
        Request found = Request.read(16, bytes(read).skipBytes(Wire.SIZES_BYTES).slice());
        assertThat(found.id()).isEqualTo(8);
        assertThat(found.key()).isEqualTo(KEY);
        assertThat(found.ranges()).containsExactly(new SegmentRange(0, 6), new SegmentRange(1L << 33, 10));
    }

    @Test
    void versionFourHasTheseAnswers() throws Exception {
        String done = "000000186400000000000000080000000000000003616263c2717e34";
        String failed = "0000001a660000000000000009000000000000001c7772697465ccd19e9f";
        assertThat(hex(Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, 8, 3)
                .writeBytes("abc".getBytes(StandardCharsets.US_ASCII)), 3))).isEqualTo(done);
        assertThat(hex(Answer.failure(ByteBufAllocator.DEFAULT, 9, "write", 28))).isEqualTo(failed);
        Answer found = Answer.read(bytes(failed).skipBytes(Integer.BYTES).slice(), Optional.empty());
        assertThat(found.outcome()).isEqualTo(Answer.Outcome.FAILED);
        assertThat(found.isIntact()).isTrue();
        assertThat(found.value()).isEqualTo(28);
        assertThat(found.text()).isEqualTo("write");
    }
}
