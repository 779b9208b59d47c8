// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/**
 * Layouts of MooseFS 3: the chunk servers of each chunk of 64 MiB. No attribute shows them. The process that mounts the
 * file system passes questions of its tools on to the master; a file at the top of the mount says on which port of this
 * host it listens. The messages are those of mfsfileinfo(1), as MFSCommunication.h of MooseFS 3.0.117 describes them.
 */
final class MooseLocality implements LocalityProvider {

    static final String KIND = "moosefs";
    static final String MASTER_INFO = ".masterinfo";

    // MFSCHUNKSIZE.
    static final long CHUNK_BYTES = 64L << 20;
    // ANTOAN_NOP, CLTOMA_FUSE_CHECK and MATOCL_FUSE_CHECK.
    static final int NOP = 0;
    static final int CHECK = 440;
    static final int CHECKED = 441;
    // A copy that is whole, and one on a disk that is being emptied, from which the data are read as well.
    private static final int VALID = 0;
    private static final int MARKED_FOR_REMOVAL = 1;
    // The question about one chunk exists since 3.0.26; version 4 answers in another form.
    private static final int FIRST_VERSION = version(3, 0, 26);
    private static final int NEXT_VERSION = version(4, 0, 0);

    private static final int INFO_BYTES = 14;
    private static final int MOST_ANSWER = 64 << 10;
    private static final int ANSWER_HEAD = 12;
    private static final int COPY_BYTES = 7;
    // The places of what lies behind 256 GiB are not asked for.
    private static final int MOST_CHUNKS = 4096;
    // So many questions wait in the buffers of the connection at most.
    private static final int AT_ONCE = 64;
    private static final int PATIENCE = (int) Duration.ofSeconds(10).toMillis();

    /** Creates the provider. */
    MooseLocality() {}

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isFor(FileSystemType type) {
        return type.name().equals("fuse.mfs");
    }

    // VERSION2INT, in which the last number is doubled since version 2.
    static int version(int major, int middle, int minor) {
        return major << 16 | middle << 8 | 2 * minor;
    }

    @Override
    public Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException {
        Optional<ByteString> info = file.atTop(MASTER_INFO);
        if (info.isEmpty() || info.get().length() < INFO_BYTES) {
            return Optional.empty();
        }
        ByteBuffer values = ByteBuffer.wrap(info.get().toBytes());
        byte[] address = new byte[4];
        values.get(address);
        int port = Short.toUnsignedInt(values.getShort());
        // The number of the session.
        values.getInt();
        int version = values.getInt();
        if (version < FIRST_VERSION || version >= NEXT_VERSION) {
            return Optional.empty();
        }
        if (file.size() == 0) {
            return Optional.of(new DataLayout(KIND, List.of(), false));
        }
        try {
            InetAddress host = InetAddress.getByAddress(address);
            if (!host.isLoopbackAddress() || port == 0) {
                // Anybody can mount a file system in user space that names a port of any host.
                throw new LayoutException(MASTER_INFO, info.get(), "no port of this host");
            }
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(host, port), PATIENCE);
                socket.setSoTimeout(PATIENCE);
                socket.setTcpNoDelay(true);
                return Optional.of(layout(socket, file));
            }
        } catch (LayoutException e) {
            throw e;
        } catch (IOException e) {
            throw new LayoutException("the mount of MooseFS does not answer: " + e.getMessage());
        }
    }

    private static DataLayout layout(Socket socket, LayoutFile file) throws IOException {
        int chunks = (int) Math.min(MOST_CHUNKS, (file.size() + CHUNK_BYTES - 1) / CHUNK_BYTES);
        List<DataExtent> extents = new ArrayList<>();
        InputStream answers = socket.getInputStream();
        for (int first = 0; first < chunks; first += AT_ONCE) {
            int count = Math.min(AT_ONCE, chunks - first);
            ByteBuffer questions = ByteBuffer.allocate(count * 20);
            for (int i = 0; i < count; i++) {
                questions.putInt(CHECK).putInt(12).putInt(i).putInt((int) file.inode()).putInt(first + i);
            }
            socket.getOutputStream().write(questions.array());
            for (int i = 0; i < count; i++) {
                add(extents, first + i, copies(answer(answers, i)));
            }
        }
        return new DataLayout(KIND, extents, false);
    }

    // Returns what follows the number of the question.
    private static ByteBuffer answer(InputStream from, int question) throws IOException {
        while (true) {
            ByteBuffer head = ByteBuffer.wrap(exactly(from, 8));
            int type = head.getInt();
            int length = head.getInt();
            if (length < 0 || length > MOST_ANSWER || type != NOP && (type != CHECKED || length < 5)) {
                throw new LayoutException("MooseFS answered with a message of type " + type + " and "
                        + Integer.toUnsignedString(length) + " bytes");
            }
            ByteBuffer body = ByteBuffer.wrap(exactly(from, length));
            if (type == CHECKED) {
                if (body.getInt() != question) {
                    throw new LayoutException("MooseFS answered another question");
                }
                return body.slice();
            }
        }
    }

    private static byte[] exactly(InputStream from, int count) throws IOException {
        byte[] bytes = from.readNBytes(count);
        if (bytes.length < count) {
            throw new LayoutException("the mount of MooseFS ended the connection");
        }
        return bytes;
    }

    // The chunk, its version, and the address, port and state of each copy; or a single byte with an error.
    private static List<DataPlace> copies(ByteBuffer answer) throws LayoutException {
        if (answer.remaining() == 1) {
            throw new LayoutException("MooseFS answered with error " + answer.get());
        }
        if (answer.remaining() < ANSWER_HEAD || (answer.remaining() - ANSWER_HEAD) % COPY_BYTES != 0) {
            throw new LayoutException("MooseFS answered with " + answer.remaining() + " bytes");
        }
        answer.position(ANSWER_HEAD);
        List<DataPlace> places = new ArrayList<>();
        while (answer.hasRemaining()) {
            String server = Byte.toUnsignedInt(answer.get()) + "." + Byte.toUnsignedInt(answer.get()) + "."
                    + Byte.toUnsignedInt(answer.get()) + "." + Byte.toUnsignedInt(answer.get());
            answer.getShort();
            int state = answer.get();
            if (state == VALID || state == MARKED_FOR_REMOVAL) {
                places.add(DataPlace.on(server));
            }
        }
        return places;
    }

    // A chunk without copies is a hole, or lost.
    private static void add(List<DataExtent> extents, int chunk, List<DataPlace> places) {
        if (places.isEmpty()) {
            return;
        }
        List<Holders> holders = List.of(new Holders(Holders.Kind.COPIES, places));
        long offset = chunk * CHUNK_BYTES;
        DataExtent last = extents.isEmpty() ? null : extents.getLast();
        if (last != null && last.end() == offset && last.holders().equals(holders)) {
            extents.removeLast();
            extents.add(new DataExtent(last.offset(), last.length() + CHUNK_BYTES, 0, 1, holders, ""));
        } else {
            extents.add(new DataExtent(offset, CHUNK_BYTES, 0, 1, holders, ""));
        }
    }
}
