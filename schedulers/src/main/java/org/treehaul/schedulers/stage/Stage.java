// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;

/**
 * A stage that is open: its catalogue, its servers, and the threads that move data. Close-to-open consistency: a client
 * that opens a file after another one closed it sees everything that the other wrote; between, any mixture. Overlapping
 * writes of several clients are undefined.
 * <p>
 * Thread-safe. Paths have no slash at their beginning or end, see {@link StagedPath}.
 */
public final class Stage implements AutoCloseable {

    /** The bytes of a buffer for callers whose memory only Java can reach. */
    static final int BUFFER_BYTES = 1 << 20;

    // So many asynchronous operations wait; the caller carries out one more itself.
    private static final int MOST_WAITING = 256;
    private static final int MOST_BUFFERS = 16;

    private final Catalogue catalogue;
    private final SegmentChanges.OpenServers servers;
    private final SegmentChanges segments;
    private final ExecutorService transfers;
    private final ExecutorService copies;
    private final ThreadPoolExecutor operations;
    private final BlockingQueue<ByteBuffer> buffers = new ArrayBlockingQueue<>(MOST_BUFFERS);

    private Stage(Catalogue catalogue, SegmentsOpener opener, int threads) {
        this.catalogue = catalogue;
        servers = new SegmentChanges.OpenServers(catalogue, opener);
        ThreadFactory daemons = Thread.ofPlatform().daemon().name("treehaul-stage-", 0).factory();
        // A transfer submits at most one task for each segment and waits for all of them; tasks submit none.
        transfers = pool(threads, daemons);
        // A transfer of a segment with copies submits tasks to these, which submit none either.
        copies = pool(threads, daemons);
        operations = pool(threads, daemons);
        segments = new SegmentChanges(catalogue, servers, transfers);
    }

    private static ThreadPoolExecutor pool(int threads, ThreadFactory factory) {
        // Also after the end of the pool, where CallerRunsPolicy drops a task for which others would wait for ever.
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(MOST_WAITING), factory, (task, full) -> task.run());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Opens a stage. Closing it closes the catalogue.
     *
     * @param opener connects to servers when a file needs them first
     * @param threads the number of threads that move data, 1 or more; asynchronous operations have as many
     */
    public static Stage open(Catalogue catalogue, SegmentsOpener opener, int threads) {
        return new Stage(catalogue, opener, threads);
    }

    /** Returns the catalogue. */
    public Catalogue catalogue() {
        return catalogue;
    }

    /**
     * Returns the segments of a server, which stay open as long as this stage.
     *
     * @throws StageException if the server is not one of the stage, or cannot be reached
     */
    public Segments segments(String server) throws StageException {
        return servers.of(server);
    }

    /**
     * Connects to a server, also to one that was given up as lost.
     *
     * @throws StageException if it cannot be reached
     */
    @Internal
    public void connect(StageServer server) throws StageException {
        servers.connect(server);
    }

    /**
     * Makes a regular file. It has no path before {@link ParallelFile#close()} gives it one, in place of a file that
     * has it until then. If this process dies before, the path is as it was, and {@code treehaul stage check} finds the
     * segments.
     *
     * @param layout p_open's arguments: the servers, the number of segments, the stripe
     * @param mode permission bits with set-id and sticky bits
     */
    public ParallelFile create(ByteString path, StripeLayout layout, int mode) throws StageException {
        StagedFile intent = intent(path, layout, mode);
        catalogue.begin(List.of(intent));
        segments.make(intent);
        return new ParallelFile(this, intent, true);
    }

    /** Returns the intent of a regular file without data, with a new id. */
    public StagedFile intent(ByteString path, StripeLayout layout, int mode) throws StageException {
        StagedPath.check(path);
        return new StagedFile(catalogue.stage(), path, UUID.randomUUID(), 1, StagedState.INTENT, EntryKind.REGULAR, 0,
                mode, 0, 0, 0, 0, null, String.join(",", layout.servers()), layout.segments(), layout.stripe(),
                layout.copies(), "", false);
    }

    /**
     * Returns the intent of a file that stays whole, before its path and its server are known.
     *
     * @param below a path below which the file will be
     * @param anywhere the servers that it may have
     */
    public StagedFile reserved(ByteString below, StripeLayout anywhere) {
        return new StagedFile(catalogue.stage(), below, UUID.randomUUID(), 1, StagedState.INTENT, EntryKind.REGULAR, 0,
                0, 0, 0, 0, 0, null, String.join(",", anywhere.servers()), 1, anywhere.stripe(), anywhere.copies(), "",
                false);
    }

    /**
     * Makes a new file that has one stripe at most and no copies, with all its bytes in one exchange with its server:
     * as {@link #open(StagedFile)}, a write and {@link ParallelFile#finish}. If this fails, nothing is left of it.
     *
     * @param intent one that the catalogue has, with one server
     * @param bytes which must stay as they are until this returns
     * @param isDurable whether they are on the disk of the server then
     * @return the file as it is to be committed
     * @throws StageException the failure of the server
     */
    @Internal
    public StagedFile make(StagedFile intent, MemorySegment bytes, Timestamp mtime, boolean isDurable)
            throws StageException {
        StripeLayout layout = intent.layout();
        if (intent.state() != StagedState.INTENT || layout.segments() != 1 || layout.copies() != 1
                || bytes.byteSize() > layout.stripe()) {
            throw new IllegalArgumentException(bytes.byteSize() + " bytes for " + intent);
        }
        segments.make(intent, bytes, isDurable);
        return intent.in(StagedState.COMMITTED).with(bytes.byteSize(), mtime);
    }

    /**
     * Makes the segments of an intent that the catalogue has, and opens it for writing. If this fails, the intent is
     * removed.
     */
    public ParallelFile open(StagedFile intent) throws StageException {
        segments.make(intent);
        return new ParallelFile(this, intent, true);
    }

    /**
     * Opens a regular file. To write one whose copies are being rebuilt or moved ends that.
     *
     * @param toWrite whether it can be written
     * @throws StageException ENOENT if there is none, EISDIR or ELOOP if the path is that of another entry; EIO if it
     *         is to be read only, and {@linkplain StagedFile#incomplete incomplete}
     */
    public ParallelFile open(ByteString path, boolean toWrite) throws StageException {
        return open(regular(path), toWrite);
    }

    /** Opens a regular file that the catalogue has, as {@link #open(ByteString, boolean)} does. */
    public ParallelFile open(StagedFile file, boolean toWrite) throws StageException {
        StagedFile complete = segments.completed(file, !toWrite && file.state() == StagedState.REPAIRING);
        if (toWrite && complete.state() == StagedState.REPAIRING) {
            complete = afterRepair(complete);
        }
        if (!toWrite && !complete.incomplete().isEmpty()) {
            throw complete.refusal(catalogue.display(complete.path()), "open");
        }
        return new ParallelFile(this, complete, toWrite);
    }

    private StagedFile afterRepair(StagedFile repairing) throws StageException {
        try {
            return segments.completed(
                    catalogue.changes().change(repairing, StagedState.RENAMING, repairing.path(), repairing.size()));
        } catch (StageException e) {
            // The repair may have ended by itself.
            return catalogue.find(repairing.path())
                    .filter(now -> now.id().equals(repairing.id()) && now.state() == StagedState.COMMITTED
                            && now.generation() == repairing.generation())
                    .orElseThrow(() -> e);
        }
    }

    private StagedFile entry(ByteString path) throws StageException {
        return catalogue.find(path)
                .orElseThrow(() -> new StageException(catalogue.display(path), "open", Errno.ENOENT));
    }

    private StagedFile regular(ByteString path) throws StageException {
        StagedFile file = entry(path);
        if (file.kind() != EntryKind.REGULAR) {
            throw new StageException(catalogue.display(path), "open",
                    file.kind() == EntryKind.DIRECTORY ? Errno.EISDIR : Errno.ELOOP);
        }
        return file;
    }

    /** Marks that no copy of a segment has all of a collective write; returns the file with its marks. */
    StagedFile incomplete(StagedFile file, int segment) {
        return file.state() == StagedState.INTENT
                ? file.withIncomplete(segment)
                : catalogue.changes().incomplete(file, segment);
    }

    /** Truncates a complete file, which gets another generation. */
    StagedFile truncate(StagedFile file, long size) throws StageException {
        return segments.completed(catalogue.changes().change(file, StagedState.TRUNCATING, file.path(), size));
    }

    /**
     * Gives a regular file or a symbolic link another path. Clients that have the file open get ESTALE from now on.
     *
     * @throws StageException ENOENT if there is no such entry, EISDIR for a directory, EEXIST if the new path is in use
     */
    public void rename(ByteString from, ByteString to) throws StageException {
        StagedPath.check(to);
        StagedFile file = entry(from);
        switch (file.kind()) {
            case REGULAR -> segments.completed(
                    catalogue.changes().change(segments.completed(file), StagedState.RENAMING, to, file.size()));
            case SYMLINK -> catalogue.changes().move(file, to);
            default -> throw new StageException(catalogue.display(from), "rename", Errno.EISDIR);
        }
    }

    /** Does {@link #rename} without waiting. The future fails with the {@link StageException}. */
    public CompletableFuture<@Nullable Void> renameAsync(ByteString from, ByteString to) {
        return later(() -> {
            rename(from, to);
            return null;
        });
    }

    /**
     * Removes an entry: from the catalogue first, then its segments. Those of a server that cannot be reached are left
     * over, and {@code treehaul stage check} finds them; those of a server that is lost are gone with it.
     *
     * @throws StageException ENOENT if there is no such entry, ENOTEMPTY for a directory with entries, ESTALE if it was
     *         renamed at the same time; the failure of a server after the entry was removed
     */
    public void remove(ByteString path) throws StageException {
        StagedFile file = entry(path);
        if (file.kind() == EntryKind.DIRECTORY) {
            try (var below = catalogue.below(path, false)) {
                if (below.anyMatch(one -> !one.path().equals(path))) {
                    throw new StageException(catalogue.display(path), "remove", Errno.ENOTEMPTY);
                }
            }
        }
        List<StagedFile> removed = catalogue.removeUnmoved(List.of(file));
        if (removed.isEmpty()) {
            throw new StageException(catalogue.display(path), "remove", Errno.ESTALE);
        }
        removeSegments(removed.getFirst());
    }

    /** Does {@link #remove} without waiting. The future fails with the {@link StageException}. */
    public CompletableFuture<@Nullable Void> removeAsync(ByteString path) {
        return later(() -> {
            remove(path);
            return null;
        });
    }

    /**
     * Removes the segments of a file that the catalogue does not have any more; all that can be reached.
     *
     * @throws StageException the first failure
     */
    public void removeSegments(StagedFile file) throws StageException {
        segments.remove(file);
    }

    /** Marks the copies of a segment in which a change failed; see {@link SegmentChanges#missed}. */
    StagedFile missed(StagedFile file, int segment, int all, Map<String, StageException> failures)
            throws StageException {
        return segments.missed(file, segment, all, failures);
    }

    /**
     * Marks a copy of a complete file that is damaged: no client that opens the file from now on reads it.
     *
     * @return the file with the mark
     * @throws StageException ESTALE if it was removed, renamed, truncated or repaired since then, EIO if it is the last
     *         copy of the segment that missed no write
     */
    public StagedFile markStale(StagedFile file, int segment, String server) throws StageException {
        return catalogue.changes().missed(file, segment, server);
    }

    /**
     * Begins to rebuild or to move copies of a complete file: it gets another generation, so that clients which have it
     * open cannot change it any more. If this process dies, the file can still be read, and written by the next client
     * that opens it.
     *
     * @return the file, whose copies to read from have the new generation
     * @throws StageException ESTALE if it was removed, renamed or truncated since then
     */
    public StagedFile beginRepair(StagedFile file) throws StageException {
        return beginRepair(file, now -> now);
    }

    /**
     * As {@link #beginRepair(StagedFile)}, with marks of copies that are damaged: they keep the earlier generation.
     *
     * @throws StageException EIO if no copy of a segment is left that is not marked
     */
    @Internal
    public StagedFile beginRepair(StagedFile file, UnaryOperator<StagedFile> marks) throws StageException {
        StagedFile now = segments.completed(file);
        return segments
                .completed(catalogue.changes().change(now, StagedState.REPAIRING, now.path(), now.size(), marks));
    }

    /**
     * Ends the rebuilding or the move of copies.
     *
     * @param repairing the file as {@link #beginRepair} returned it
     * @param after the file with its copies
     * @return whether they are recorded; false if the file was removed, renamed, or opened to write since then, or a
     *         server that gets a copy takes no new segments any more: the copies are where they were then
     */
    public boolean endRepair(StagedFile repairing, StagedFile after) {
        return catalogue.changes().repaired(repairing, after);
    }

    /** Gives a file that was written its path; returns the files that had it before, whose segments are removed. */
    StagedFile commit(StagedFile intent, long size, Timestamp mtime) throws StageException {
        StagedFile complete = intent.in(StagedState.COMMITTED).with(size, mtime);
        catalogue.commit(List.of(complete)).forEach(this::removeReplaced);
        return complete;
    }

    /** Removes the segments of a file that was replaced, if their servers can be reached. */
    public void removeReplaced(StagedFile before) {
        try {
            removeSegments(before);
        } catch (StageException e) {
            // They take room until 'stage check' removes them; the new file is complete.
            return;
        }
    }

    /** Carries out an operation on a thread of this stage. */
    <T extends @Nullable Object> CompletableFuture<T> later(Callable<T> operation) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return operation.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        }, operations);
    }

    ExecutorService transfers() {
        return transfers;
    }

    /** Returns the threads that write further copies of a segment. */
    ExecutorService copies() {
        return copies;
    }

    /** Returns a direct buffer of {@link #BUFFER_BYTES}, which the caller gives back. */
    ByteBuffer buffer() {
        ByteBuffer known = buffers.poll();
        return known == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : known.clear();
    }

    void giveBack(ByteBuffer buffer) {
        if (!buffers.offer(buffer)) {
            // There are enough; the garbage collector frees this one.
            return;
        }
    }

    /**
     * Closes the stage when the operations in progress have ended, also if the thread is interrupted. Files that are
     * open and were not closed are not complete.
     */
    @Override
    public void close() {
        end(operations);
        end(transfers);
        end(copies);
        servers.close();
        buffers.clear();
        catalogue.close();
    }

    // Not close(), which drops what waits if the caller is interrupted: the futures of that would never end.
    private static void end(ExecutorService pool) {
        pool.shutdown();
        boolean hasEnded = false;
        boolean isInterrupted = false;
        while (!hasEnded) {
            try {
                hasEnded = pool.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
