// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.collective.Exchange.Kind;

/**
 * A collective write: aggregators ask the ranks for the data of a piece of the file, and write it. They write only the
 * bytes of views: those between them stay as they are, also while other programs write them.
 */
final class CollectiveWrite extends CollectiveAccess {

    private BitSet covered = new BitSet();
    private @Nullable ByteBuffer piece;
    private long pieceFrom;
    private long missing;

    CollectiveWrite(Exchange exchange, long number, CollectiveSettings settings, FileView view, ByteBuffer memory,
            CollectiveFile file) {
        super(exchange, number, settings, view, memory, file);
    }

    @Override
    boolean isWrite() {
        return true;
    }

    @Override
    void piece(long from, long to) throws IOException {
        ByteBuffer buffer = piece;
        if (buffer == null) {
            buffer = exchange.buffer(bufferBytes());
            piece = buffer;
            covered = new BitSet(bufferBytes());
        }
        pieceFrom = from;
        covered.clear();
        for (int rank = 0; rank < exchange.size(); rank++) {
            FileView other = viewOf(rank);
            long first = other.before(from);
            long end = other.before(to);
            missing += end - first;
            if (rank == exchange.rank()) {
                data(rank, first, memory.slice((int) first, (int) (end - first)));
                moved(end - first);
            } else if (first < end) {
                exchange.send(rank, exchange.begin(Kind.PULL, number, 2 * Long.BYTES).putLong(first).putLong(end));
            }
        }
        waitFor(() -> missing == 0);
        int at = covered.nextSetBit(0);
        while (at >= 0) {
            int end = covered.nextClearBit(at);
            file.write(buffer.slice(at, end - at), from + at, origin());
            at = covered.nextSetBit(end);
        }
    }

    @Override
    void data(int from, long at, ByteBuffer bytes) {
        ByteBuffer buffer = piece;
        if (buffer == null) {
            throw new IllegalStateException(exchange.name(from) + " sent data that were not asked for");
        }
        int begin = bytes.position();
        int length = bytes.remaining();
        viewOf(from).ranges(at, at + length, (position, count, memoryAt) -> {
            int inPiece = (int) (position - pieceFrom);
            buffer.put(inPiece, bytes, begin + (int) (memoryAt - at), (int) count);
            covered.set(inPiece, inPiece + (int) count);
        });
        missing -= length;
    }
}
