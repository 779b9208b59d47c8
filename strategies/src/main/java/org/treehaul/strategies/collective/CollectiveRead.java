// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A collective read: aggregators read their parts of the file, and send to each rank what it wants of them. */
final class CollectiveRead extends CollectiveAccess {

    CollectiveRead(Exchange exchange, long number, CollectiveSettings settings, FileView view, ByteBuffer memory,
            CollectiveFile file) {
        super(exchange, number, settings, view, memory, file);
    }

    @Override
    boolean isWrite() {
        return false;
    }

    @Override
    void piece(long from, long to) throws IOException {
        ByteBuffer buffer = exchange.buffer(bufferBytes()).limit((int) (to - from));
        file.read(buffer, from, origin());
        for (int i = 0; i < exchange.size(); i++) {
            // Aggregators begin with different ranks, so that no rank gets the data of all at the same time.
            int rank = (exchange.rank() + i) % exchange.size();
            FileView other = viewOf(rank);
            send(rank, other, other.before(from), other.before(to), buffer, from);
        }
    }

    private void send(int rank, FileView other, long first, long end, ByteBuffer buffer, long from)
            throws CollectiveException {
        if (rank == exchange.rank()) {
            other.ranges(first, end,
                    (at, length, memoryAt) -> memory.put((int) memoryAt, buffer, (int) (at - from), (int) length));
            moved(end - first);
            return;
        }
        for (long at = first; at < end; at += CHUNK) {
            waitForRoom();
            long chunkEnd = Math.min(end, at + CHUNK);
            ByteBuffer message = beginData(at, (int) (chunkEnd - at));
            other.ranges(at, chunkEnd,
                    (position, length, memoryAt) -> message.put(buffer.slice((int) (position - from), (int) length)));
            sendData(rank, message);
        }
    }

    @Override
    void data(int from, long at, ByteBuffer bytes) {
        int length = bytes.remaining();
        memory.put((int) at, bytes, bytes.position(), length);
        moved(length);
    }
}
