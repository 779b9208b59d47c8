// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;

import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * One rank of a group that reads and writes files collectively. All ranks of the communicator make the same sequence of
 * calls; until all have closed it, the communicator carries no other messages. Each rank may begin the next group on
 * the same communicator as soon as it has closed this one. A rank that fails must close it, as try-with-resources does:
 * otherwise the others wait for it as long as the communicator does not miss it. Used by one thread.
 *
 * <p>
 * In a read, a few ranks, the aggregators, read large contiguous parts of the file, and send each rank what it wants.
 * In a write, they collect such parts from the ranks and write them. If ranks write the same bytes in one call, it is
 * not defined whose stay.
 *
 * <p>
 * The first read of a parallel file measures the time of messages between ranks: at most two pairs of ranks exchange 3
 * MB each. Each aggregator then sends with its requests the time in which it will distribute the data, and the delay
 * that it can accept.
 *
 * <p>
 * Memory beside the caller's buffer: an aggregator has one buffer of {@link CollectiveSettings#bufferBytes()}, in a
 * write an eighth more. Messages on their way are at most 3.2 MB from each rank; a rank that reads slowly may have as
 * much from each aggregator waiting for it. Each rank knows the views of all, some 100 bytes each.
 */
public final class CollectiveRanks implements AutoCloseable {

    /** The groups of a communicator, one after another. */
    private static final class Groups {
        int last = -1;
        // A second group would take messages of the first.
        boolean isUsed;
        Queue<Exchange.Message> early = new ArrayDeque<>();
    }

    private static final Map<Communicator, Groups> GROUPS = Collections.synchronizedMap(new WeakHashMap<>());

    private final Groups groups;
    private final Exchange exchange;
    private final CollectiveSettings settings;
    private long begun;
    private long ended;
    private boolean isClosed;

    /**
     * Joins the group; sends nothing yet.
     *
     * @throws IllegalStateException if another group of this communicator is not closed
     */
    public CollectiveRanks(Communicator communicator, CollectiveSettings settings) {
        this.groups = GROUPS.computeIfAbsent(communicator, first -> new Groups());
        if (groups.isUsed) {
            throw new IllegalStateException("rank " + communicator.rank()
                    + ": another group uses the communicator; close it first, or use it for all files");
        }
        groups.isUsed = true;
        groups.last++;
        this.exchange = new Exchange(communicator, groups.last, groups.early);
        this.settings = settings;
    }

    /**
     * Reads the bytes of a view.
     *
     * @param into gets them, from its position on, which advances; has room for at least so many
     * @throws CollectiveException on every rank if one of them failed, or a file ends too early; any part of the buffer
     *         may be filled
     * @throws RanksException if a rank is gone; its message has the name of the rank
     */
    public void read(CollectiveFile file, FileView view, ByteBuffer into) throws CollectiveException {
        ByteBuffer memory = memory(view, into);
        run(new CollectiveRead(exchange, ++begun, settings, view, memory, file));
        into.position(into.position() + memory.capacity());
    }

    /**
     * Writes the bytes of a view. Nothing else in the file is changed.
     *
     * @param from has them, from its position on, which advances
     * @throws CollectiveException on every rank if one of them failed; any part of the data may be in the file
     * @throws RanksException if a rank is gone; its message has the name of the rank
     */
    public void write(CollectiveFile file, FileView view, ByteBuffer from) throws CollectiveException {
        ByteBuffer memory = memory(view, from);
        run(new CollectiveWrite(exchange, ++begun, settings, view, memory, file));
        from.position(from.position() + memory.capacity());
    }

    private ByteBuffer memory(FileView view, ByteBuffer buffer) {
        if (isClosed) {
            throw new IllegalStateException("closed");
        }
        if (view.bytes() > buffer.remaining()) {
            throw new IllegalArgumentException(
                    "a view of " + view.bytes() + " bytes, and a buffer of " + buffer.remaining());
        }
        return buffer.slice(buffer.position(), (int) view.bytes());
    }

    private void run(CollectiveAccess access) throws CollectiveException {
        try {
            access.run();
            ended = begun;
        } catch (CollectiveException e) {
            ended = begun;
            throw e;
        }
    }

    /**
     * Leaves the group, and waits until all ranks do. Ranks that are within a read or write get a
     * {@link RanksException}.
     */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            try {
                exchange.leave(ended);
            } catch (RanksException e) {
                // The group is broken already, and its ranks have that exception from a call, or do not need it.
            } finally {
                groups.early = exchange.ofNextGroup();
                groups.isUsed = false;
            }
        }
    }
}
