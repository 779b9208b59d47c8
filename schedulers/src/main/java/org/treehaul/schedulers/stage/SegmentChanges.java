// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;

/**
 * Changes of all segments of a file: they are made, brought to the generation that the catalogue has, and removed. Any
 * client may complete a change that another has begun. Thread-safe.
 */
final class SegmentChanges {

    private final Catalogue catalogue;
    private final OpenServers servers;
    private final ExecutorService threads;

    /** Begins with the threads that ask several servers at the same time. */
    SegmentChanges(Catalogue catalogue, OpenServers servers, ExecutorService threads) {
        this.catalogue = catalogue;
        this.servers = servers;
        this.threads = threads;
    }

    /** A segment, or a copy of one, and its server. */
    private record Placed(String server, SegmentKey key) {}

    /**
     * Makes the segments of an intent, at the same time. If one cannot be made, the intent is removed, with the others.
     */
    void make(StagedFile file) throws StageException {
        StripeLayout layout = file.layout();
        try {
            Together.each(threads, layout.segments(), index -> {
                for (String server : layout.serversOf(index)) {
                    servers.of(server).create(file.key(index));
                }
            });
        } catch (StageException e) {
            removeAfter(e, file);
            throw e;
        }
    }

    // Also a segment whose server made it, and lost the connection before the answer.
    private void removeAfter(StageException failure, StagedFile intent) {
        catalogue.remove(intent);
        try {
            remove(intent);
        } catch (StageException left) {
            failure.addSuppressed(left);
        }
    }

    /**
     * Makes the only segment of an intent without copies, with all its bytes. If that fails, the intent is removed,
     * with the segment.
     */
    void make(StagedFile file, MemorySegment bytes, boolean isDurable) throws StageException {
        SegmentKey key = file.key(0);
        try {
            Segments segments = servers.of(file.layout().serverOf(0));
            segments.put(key, bytes, StripeSum.of(bytes.asByteBuffer()));
            if (isDurable) {
                segments.sync(key);
            }
        } catch (StageException e) {
            removeAfter(e, file);
            throw e.of(catalogue.display(file.path()));
        }
    }

    /** Completes the change that another process, or this one, has begun. */
    StagedFile completed(StagedFile file) throws StageException {
        return completed(file, false);
    }

    // A file of which a segment is lost can be read as before, where it is not.
    StagedFile completed(StagedFile file, boolean mayLackSegments) throws StageException {
        if (file.state() == StagedState.INTENT || file.state() == StagedState.COMMITTED
                || file.kind() != EntryKind.REGULAR) {
            return file;
        }
        StagedFile now = file;
        StripeLayout layout = file.layout();
        for (int i = 0; i < layout.segments(); i++) {
            Map<String, StageException> failures = new LinkedHashMap<>();
            List<String> good = now.good(i);
            for (String server : good) {
                try {
                    advance(now, i, servers.of(server), layout);
                } catch (StageException e) {
                    failures.put(server, e);
                }
            }
            if (!mayLackSegments || failures.size() < good.size()) {
                now = missed(now, i, good.size(), failures);
            }
        }
        return file.state() == StagedState.REPAIRING ? now : catalogue.changes().changed(now);
    }

    private static void advance(StagedFile file, int segment, Segments segments, StripeLayout layout)
            throws StageException {
        if (file.state() == StagedState.TRUNCATING) {
            truncate(segments, file.key(segment), layout.segmentSize(segment, file.size()), layout.stripe());
        } else {
            segments.advance(file.key(segment).in(file.generation() - 1), file.generation());
        }
    }

    /**
     * Marks the copies of a segment in which a change failed, while it was made in another one.
     *
     * @param all the number of copies that the change was to reach
     * @return the file with its marks
     * @throws StageException the first failure if there is no other copy, or none that is complete
     */
    StagedFile missed(StagedFile file, int segment, int all, Map<String, StageException> failures)
            throws StageException {
        if (failures.isEmpty()) {
            return file;
        }
        StageException first = failures.values().iterator().next();
        if (failures.size() == all) {
            failures.values().stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
        StagedFile now = file;
        for (Map.Entry<String, StageException> one : failures.entrySet()) {
            try {
                // A new file is known to its maker only, who commits it with its marks.
                now = now.state() == StagedState.INTENT
                        ? missedInNew(now, segment, one.getKey())
                        : catalogue.changes().missed(now, segment, one.getKey());
            } catch (StageException e) {
                e.addSuppressed(one.getValue());
                throw e;
            }
        }
        return now;
    }

    private StagedFile missedInNew(StagedFile intent, int segment, String server) throws StageException {
        StagedFile now = intent.withStale(segment, server);
        if (now.good(segment).isEmpty()) {
            throw new StageException(catalogue.display(intent.path()),
                    "no other copy of segment " + segment + " is complete", Errno.EIO);
        }
        return now;
    }

    // Nobody can write in the generation of the truncation, and the segment leaves it with its size: a client that
    // completes the same truncation late cannot cut off what was written afterwards.
    private static void truncate(Segments segments, SegmentKey key, long size, long stripe) throws StageException {
        try {
            segments.advance(key.in(key.generation() - 1), key.generation());
            StripeSums.cut(segments, key, size, stripe);
        } catch (StageException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
            // Another client has truncated it already, or it is lost: the next call fails then.
        }
        segments.advance(key, key.generation() + 1);
    }

    /**
     * Removes the segments of a file that the catalogue does not have any more; all that can be reached.
     *
     * @throws StageException the first failure
     */
    void remove(StagedFile file) throws StageException {
        if (file.kind() != EntryKind.REGULAR) {
            return;
        }
        StripeLayout layout = file.layout();
        List<Placed> all = new ArrayList<>();
        // The server of a whole file is chosen after its intent was written.
        boolean isAnywhere = file.state() == StagedState.INTENT && layout.segments() == 1;
        for (int i = 0; i < layout.segments(); i++) {
            for (String server : isAnywhere ? layout.servers() : layout.serversOf(i)) {
                all.add(new Placed(server, file.key(i)));
            }
        }
        try {
            Together.each(threads, all.size(), at -> remove(file, all.get(at)));
        } catch (StageException e) {
            throw e.of(catalogue.display(file.path()));
        }
    }

    private void remove(StagedFile file, Placed one) throws StageException {
        try {
            remove(file, one.key, servers.of(one.server));
        } catch (StageException e) {
            // A server that is lost has nothing to remove.
            if (e.errno() != Errno.ENODEV) {
                throw e;
            }
        }
    }

    private static void remove(StagedFile file, SegmentKey key, Segments segments) throws StageException {
        segments.remove(key);
        if (file.state() != StagedState.INTENT && file.state() != StagedState.COMMITTED) {
            segments.remove(key.in(file.generation() - 1));
        }
        if (file.state() == StagedState.TRUNCATING) {
            segments.remove(key.in(file.generation() + 1));
        }
    }

    /** Operations on several segments, which take place at the same time. */
    static final class Together {

        /** An operation on one of several segments. */
        interface Part {
            long of(int index) throws StageException;
        }

        /** An operation on one of several segments, without a result. */
        interface Action {
            void of(int index) throws StageException;
        }

        private Together() {}

        /**
         * Carries out an operation for each number from 0 to below a count, the first one on this thread. It waits for
         * all, also after a failure: their memory belongs to the caller again afterwards.
         *
         * @return the sum of their results
         * @throws StageException the first failure, with the others suppressed
         */
        static long sum(ExecutorService threads, int count, Part part) throws StageException {
            List<Future<Long>> all = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                int index = i;
                all.add(threads.submit(() -> part.of(index)));
            }
            if (count > 0) {
                FutureTask<Long> first = new FutureTask<>(() -> part.of(0));
                first.run();
                all.addFirst(first);
            }
            return sum(all);
        }

        /**
         * Reads parts of several segments by this thread: it begins all requests before it waits for the first. If each
         * server has only a small part of a request, waking a thread for each of them takes longer than the exchange.
         * It waits for all, also after a failure.
         *
         * @param servers the servers of the segments
         * @param keys the segment of each server
         * @param parts the parts of each segment
         * @return the number of bytes that the segments have in these parts; empty, and nothing was read, if a server
         *         is not ready or does not take requests in a pipeline
         * @throws StageException the first failure, with the others suppressed
         */
        static OptionalLong read(List<Segments> servers, List<SegmentKey> keys, List<List<SegmentPart>> parts)
                throws StageException {
            for (Segments server : servers) {
                if (!(server instanceof Segments.Pipelined pipelined) || !pipelined.isReady()) {
                    return OptionalLong.empty();
                }
            }
            List<Future<Long>> begun = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                begun.add(((Segments.Pipelined) servers.get(i)).begin(keys.get(i), parts.get(i), false));
            }
            return OptionalLong.of(sum(begun));
        }

        private static long sum(List<Future<Long>> all) throws StageException {
            long sum = 0;
            Exception failure = null;
            for (Future<Long> one : all) {
                try {
                    sum += await(one);
                } catch (StageException | RuntimeException e) {
                    if (failure == null) {
                        failure = e;
                    } else {
                        failure.addSuppressed(e);
                    }
                }
            }
            switch (failure) {
                case null -> {}
                case StageException failed -> throw failed;
                default -> throw (RuntimeException) failure;
            }
            return sum;
        }

        /** Carries out an operation for each number, as {@link #sum} does. */
        static void each(ExecutorService threads, int count, Action action) throws StageException {
            sum(threads, count, index -> {
                action.of(index);
                return 0;
            });
        }

        /** Waits for an operation, also if this thread is interrupted, which it is again afterwards. */
        private static <T extends @Nullable Object> T await(Future<T> part) throws StageException {
            boolean isInterrupted = false;
            try {
                while (true) {
                    try {
                        return part.get();
                    } catch (InterruptedException e) {
                        isInterrupted = true;
                    } catch (ExecutionException e) {
                        if (e.getCause() instanceof StageException failed) {
                            throw failed;
                        }
                        throw new IllegalStateException(e.getCause());
                    }
                }
            } finally {
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** The servers that a stage has opened; each stays open as long as the stage. Thread-safe. */
    static final class OpenServers implements AutoCloseable {

        private final Catalogue catalogue;
        private final SegmentsOpener opener;
        private final Map<String, Segments> open = new HashMap<>();
        private boolean isClosed;

        OpenServers(Catalogue catalogue, SegmentsOpener opener) {
            this.catalogue = catalogue;
            this.opener = opener;
        }

        /**
         * Returns the segments of a server.
         *
         * @throws StageException ENODEV if the server is not one of the stage or was taken out as lost, EBADF if the
         *         stage was closed, or another error if the server cannot be reached
         */
        synchronized Segments of(String server) throws StageException {
            if (isClosed) {
                throw new StageException("stage " + catalogue.stage(), "the stage was closed", Errno.EBADF);
            }
            Segments known = open.get(server);
            if (known != null) {
                return known;
            }
            for (StageServer one : catalogue.servers()) {
                if (one.name().equals(server)) {
                    if (one.state() == StageServer.State.LOST) {
                        throw new StageException(one.display(), "the server was taken out as lost", Errno.ENODEV);
                    }
                    Segments opened = opener.open(one);
                    open.put(server, opened);
                    return opened;
                }
            }
            throw new StageException("server " + ByteString.printable(server),
                    "the stage " + catalogue.stage() + " has no such server", Errno.ENODEV);
        }

        /** Connects to a server, also to one that was taken out as lost, and closes the connection. */
        void connect(StageServer server) throws StageException {
            opener.open(server).close();
        }

        @Override
        public synchronized void close() {
            isClosed = true;
            open.values().forEach(Segments::close);
            open.clear();
        }
    }
}
