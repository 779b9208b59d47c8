// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;

/** Answers as those of the mount of MooseFS 3.0.117, byte by byte. */
class MooseLocalityTest {

    private static final int VERSION = MooseLocality.version(3, 0, 117);
    private static final int INODE = 0x123456;
    private static final byte[] HOLE = new byte[12];

    private ServerSocket mount;

    @BeforeEach
    void listen() throws IOException {
        mount = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        mount.close();
    }

    /** A file of the mount. */
    private record MooseFile(long size, Optional<ByteString> info) implements LayoutFile {
        @Override
        public ByteString name() {
            return ByteString.of("f");
        }

        @Override
        public long inode() {
            return INODE;
        }

        @Override
        public Optional<ByteString> atTop(String name) {
            assertThat(name).isEqualTo(".masterinfo");
            return info;
        }

        @Override
        public Optional<ByteString> attribute(String attribute) {
            throw new AssertionError(attribute);
        }
    }

    private ByteString info(int version, int firstByte) {
        return ByteString.of(ByteBuffer.allocate(22)
                .put((byte) firstByte)
                .put(new byte[]{0, 0, 1})
                .putShort((short) mount.getLocalPort())
                .putInt(7)
                .putInt(version)
                .putLong(99)
                .array());
    }

    private static byte[] copies(int... lastBytesAndStates) {
        ByteBuffer answer = ByteBuffer.allocate(12 + lastBytesAndStates.length / 2 * 7).putLong(1).putInt(1);
        for (int i = 0; i < lastBytesAndStates.length; i += 2) {
            answer.put(new byte[]{10, 77, (byte) 200, (byte) lastBytesAndStates[i]})
                    .putShort((short) 9422)
                    .put((byte) lastBytesAndStates[i + 1]);
        }
        return answer.array();
    }

    private static void send(OutputStream out, int type, int question, byte[] body) throws IOException {
        out.write(ByteBuffer.allocate(12 + body.length)
                .putInt(type)
                .putInt(4 + body.length)
                .putInt(question)
                .put(body)
                .array());
    }

    /** Asks for a layout; the mount answers for each chunk. */
    private DataLayout layout(long size, IntFunction<byte[]> chunks) throws Exception {
        Thread answering = Thread.ofPlatform().start(() -> {
            try (Socket socket = mount.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                while (true) {
                    assertThat(List.of(in.readInt(), in.readInt())).containsExactly(440, 12);
                    int question = in.readInt();
                    assertThat(in.readInt()).isEqualTo(INODE);
                    send(socket.getOutputStream(), 0, 0, new byte[0]);
                    send(socket.getOutputStream(), 441, question, chunks.apply(in.readInt()));
                }
            } catch (IOException e) {
                // The other side has all answers.
            }
        });
        try {
            return new MooseLocality().layout(new MooseFile(size, Optional.of(info(VERSION, 127)))).orElseThrow();
        } finally {
            answering.join();
        }
    }

    @Test
    void eachChunkIsOnTheServersThatHaveAValidCopy() throws Exception {
        long chunk = 64 << 20;
        DataLayout layout = layout(4 * chunk + 1, number -> switch (number) {
            case 0, 1 -> copies(1, 0, 2, 1);
            case 2 -> HOLE;
            // All copies but the second have a wrong version or a disk with errors.
            case 3 -> copies(3, 2, 4, 0, 5, 3, 6, 4);
            default -> copies(1, 0);
        });
        assertThat(layout.kind()).isEqualTo("moosefs");
        assertThat(layout.servers()).containsExactly("10.77.200.1", "10.77.200.2", "10.77.200.4");
        assertThat(layout.extents()).extracting(DataExtent::offset).containsExactly(0L, 3 * chunk, 4 * chunk);
        assertThat(layout.extents().getFirst().length()).isEqualTo(2 * chunk);
        assertThat(layout.servers(chunk, 2 * chunk)).containsExactly("10.77.200.1", "10.77.200.2");
        assertThat(layout.servers(2 * chunk, chunk)).isEmpty();
    }

    @Test
    void manyChunksAreAskedForInTurns() throws Exception {
        DataLayout layout = layout(200L << 26, number -> copies(number % 3, 0));
        assertThat(layout.extents()).hasSize(200);
        assertThat(layout.serverOf(199L << 26)).contains("10.77.200.1");
    }

    @Test
    void answersThatAreMalformedAreFailures() {
        assertThatThrownBy(() -> layout(1, number -> new byte[]{3})).isInstanceOf(LayoutException.class)
                .hasMessageContaining("error 3");
        assertThatThrownBy(() -> layout(1, number -> new byte[15])).isInstanceOf(LayoutException.class)
                .hasMessageContaining("15 bytes");
        assertThatThrownBy(() -> layout(1, number -> new byte[100_000])).isInstanceOf(LayoutException.class)
                .hasMessageContaining("100004 bytes");
    }

    @Test
    void aMountThatDoesNotListenIsAFailure() throws Exception {
        MooseFile file = new MooseFile(1, Optional.of(info(VERSION, 127)));
        mount.close();
        assertThatThrownBy(() -> new MooseLocality().layout(file)).isInstanceOf(LayoutException.class)
                .hasMessageContaining("does not answer");
    }

    @Test
    void otherHostsAndOtherVersionsAreNotAsked() throws Exception {
        MooseLocality moosefs = new MooseLocality();
        assertThatThrownBy(() -> moosefs.layout(new MooseFile(1, Optional.of(info(VERSION, 10)))))
                .isInstanceOf(LayoutException.class)
                .hasMessageContaining("no port of this host");
        assertThat(moosefs.layout(new MooseFile(0, Optional.of(info(VERSION, 127)))).orElseThrow().extents()).isEmpty();
        assertThat(moosefs.layout(new MooseFile(1, Optional.empty()))).isEmpty();
        assertThat(moosefs.layout(new MooseFile(1, Optional.of(ByteString.of("short"))))).isEmpty();
        assertThat(moosefs.layout(new MooseFile(1, Optional.of(info(MooseLocality.version(4, 0, 0), 127))))).isEmpty();
        assertThat(moosefs.layout(new MooseFile(1, Optional.of(info(MooseLocality.version(3, 0, 25), 127))))).isEmpty();
    }
}
