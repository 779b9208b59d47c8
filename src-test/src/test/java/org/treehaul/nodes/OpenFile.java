// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.buffer.BufferedParallelFile;
import org.treehaul.schedulers.stage.buffer.Buffers;

/** An open file of a stage or of a file system. Used by one thread. */
interface OpenFile extends AutoCloseable {

    /**
     * The size of the stripes of a stage: the smallest request of the paper's application, and each is on one server.
     */
    int STRIPE = 64 << 10;

    /** Reads or writes ranges, one after another or in one request, from or into one buffer. */
    void transfer(List<SegmentRange> ranges, ByteBuffer buffer, boolean isWrite) throws IOException;

    /** Waits until everything is on the disks. */
    void sync() throws IOException;

    @Override
    void close() throws IOException;

    /** Opens a file of a file system, which has no requests for several ranges. */
    static OpenFile in(Path path, boolean isWrite) throws IOException {
        FileChannel channel = FileChannel.open(path,
                isWrite
                        ? Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE)
                        : Set.of(StandardOpenOption.READ));
        return new OpenFile() {
            @Override
            public void transfer(List<SegmentRange> ranges, ByteBuffer buffer, boolean writes) throws IOException {
                for (SegmentRange range : ranges) {
                    ByteBuffer part = buffer.slice(buffer.position(), Math.toIntExact(range.length()));
                    buffer.position(buffer.position() + part.limit());
                    whole(channel, range.offset(), part, writes);
                }
            }

            @Override
            public void sync() throws IOException {
                channel.force(false);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** Reads or writes a whole buffer at an offset. */
    static void whole(FileChannel channel, long offset, ByteBuffer buffer, boolean isWrite) throws IOException {
        long at = offset;
        while (buffer.hasRemaining()) {
            int count = isWrite ? channel.write(buffer, at) : channel.read(buffer, at);
            if (count < 0) {
                throw new IOException("the file ends at " + at);
            }
            at += count;
        }
    }

    /** Makes a file of a stage over its first servers, or opens it to be read. */
    static OpenFile of(Stage stage, String name, int servers, boolean isBuffered, boolean isWrite)
            throws StageException {
        ByteString path = ByteString.of(name);
        ParallelFile file = isWrite ? stage.create(path, layout(servers), 0600) : stage.open(path, false);
        return isBuffered ? buffered(new BufferedParallelFile(file, Buffers.usual())) : plain(file);
    }

    /** Returns the layout of files over the first servers of a stage. */
    static StripeLayout layout(int servers) {
        return new StripeLayout(IntStream.rangeClosed(1, servers).mapToObj(i -> "s" + i).toList(), servers, STRIPE);
    }

    private static OpenFile plain(ParallelFile file) {
        return new OpenFile() {
            @Override
            public void transfer(List<SegmentRange> ranges, ByteBuffer buffer, boolean writes) throws IOException {
                if (writes) {
                    file.write(ranges, buffer);
                } else {
                    file.read(ranges, buffer);
                }
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private static OpenFile buffered(BufferedParallelFile file) {
        return new OpenFile() {
            @Override
            public void transfer(List<SegmentRange> ranges, ByteBuffer buffer, boolean writes) throws IOException {
                int end = buffer.limit();
                for (SegmentRange range : ranges) {
                    buffer.limit(buffer.position() + Math.toIntExact(range.length()));
                    if (writes) {
                        file.write(buffer, range.offset());
                    } else {
                        file.read(buffer, range.offset());
                    }
                }
                buffer.limit(end);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
