// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLongArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * A file of a stage that is open, as one sequence of bytes. {@link #segment} gives the view of one segment.
 * <p>
 * Thread-safe; {@link #read(ByteBuffer)}, {@link #write(ByteBuffer)} and the position belong to one caller at a time. A
 * direct buffer must be usable by any thread; data of other buffers are copied once more. After an operation that
 * failed, any part of a range may be written. A file that was removed, renamed or truncated by another client since it
 * was opened fails with ESTALE; nothing is changed then.
 */
public final class ParallelFile implements AutoCloseable {

    // Smaller requests take less time than waking other threads.
    private static final int LEAST_PARALLEL = 32 * 1024;

    private final Stage stage;
    private final StripeLayout layout;
    private final boolean mayWrite;
    private final StripeSums[] sums;
    // The end of the data that this client has written to each segment of a new file. No other client can write to it, so
    // this client knows its size without asking the servers.
    private final AtomicLongArray ends;
    private volatile boolean knowsEnds;
    // Held while the entry below changes: threads that write find out at the same time that copies missed something.
    private final Object marks = new Object();
    private volatile StagedFile file;
    private volatile boolean isWritten;
    private volatile boolean isClosed;
    private long position;

    ParallelFile(Stage stage, StagedFile file, boolean mayWrite) {
        this.stage = stage;
        this.file = file;
        this.layout = file.layout();
        this.mayWrite = mayWrite;
        this.sums = new StripeSums[layout.segments()];
        this.ends = new AtomicLongArray(layout.segments());
        this.knowsEnds = file.state() == StagedState.INTENT;
        makeSums(knowsEnds);
    }

    private void makeSums(boolean isNew) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] = new StripeSums(layout.stripe(), isNew);
        }
    }

    /** Returns the entry of the catalogue, as this client knows it. */
    public StagedFile staged() {
        return file;
    }

    /** Returns the path in the stage. */
    public ByteString path() {
        return file.path();
    }

    /** Returns how the file is spread over servers (f_query). */
    public StripeLayout layout() {
        return layout;
    }

    /**
     * Returns the view of one segment.
     *
     * @throws IndexOutOfBoundsException if there is no such segment
     */
    public SegmentView segment(int index) {
        return new SegmentView(this, Objects.checkIndex(index, layout.segments()));
    }

    /** Returns the position, in bytes, of the next {@link #read(ByteBuffer)} or {@link #write(ByteBuffer)}. */
    public synchronized long position() {
        return position;
    }

    /**
     * Sets the position (p_lseek). It may lie after the end.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public synchronized void position(long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("position " + offset);
        }
        position = offset;
    }

    /** Reads at the position and advances it; otherwise as {@link #read(ByteBuffer, long)}. */
    public synchronized int read(ByteBuffer into) throws StageException {
        int count = read(into, position);
        position += Math.max(0, count);
        return count;
    }

    /** Writes at the position and advances it; otherwise as {@link #write(ByteBuffer, long)}. */
    public synchronized int write(ByteBuffer from) throws StageException {
        int count = write(from, position);
        position += count;
        return count;
    }

    /**
     * Reads as many bytes as the buffer has room for, or as the file has from an offset on (pread).
     *
     * @return their number, by which the position of the buffer has moved; -1 at or after the end
     * @throws StageException EIO if the file is only read, and a segment lacks bytes that the catalogue has recorded
     */
    public int read(ByteBuffer into, long offset) throws StageException {
        return readAs(into, offset, null);
    }

    /** As {@link #read(ByteBuffer, long)}, for an aggregator of a collective access. */
    @Internal
    public int read(ByteBuffer into, long offset, CollectiveRequest origin) throws StageException {
        return readAs(into, offset, origin);
    }

    private int readAs(ByteBuffer into, long offset, @Nullable CollectiveRequest origin) throws StageException {
        int wanted = into.remaining();
        long read = read(List.of(new SegmentRange(offset, wanted)), into, origin);
        into.position(into.position() - wanted + (int) read);
        return read == 0 && wanted > 0 ? -1 : (int) read;
    }

    /**
     * Writes all bytes of a buffer at an offset (pwrite).
     *
     * @return their number, by which the position of the buffer has moved
     */
    public int write(ByteBuffer from, long offset) throws StageException {
        int length = from.remaining();
        write(List.of(new SegmentRange(offset, length)), from);
        return length;
    }

    /**
     * As {@link #write(ByteBuffer, long)}, for an aggregator of a collective access. If it fails in all copies of a
     * segment, the file is marked as {@linkplain StagedFile#incomplete incomplete}.
     */
    @Internal
    public void write(ByteBuffer from, long offset, CollectiveRequest origin) throws StageException {
        write(List.of(new SegmentRange(offset, from.remaining())), from, origin);
    }

    /**
     * Reads scattered ranges into one buffer, one after another (list I/O). Bytes behind the end of the file are 0.
     *
     * @param into has room for exactly these ranges; its position moves behind them
     * @return the number of bytes that the file has in these ranges
     * @throws IllegalArgumentException if the ranges are not as long as the buffer
     */
    public long read(List<SegmentRange> ranges, ByteBuffer into) throws StageException {
        return read(ranges, into, null);
    }

    private long read(List<SegmentRange> ranges, ByteBuffer into, @Nullable CollectiveRequest origin)
            throws StageException {
        checkLength(ranges, into);
        checkOpen();
        long[] had = {0};
        portions(ranges, into, false, (portion, memory) -> had[0] += transfer(portion, memory, false, origin));
        if (had[0] == length(ranges)) {
            return had[0];
        }
        // Ranges without data are holes, unless they lie behind the end.
        long size = size();
        return ranges.stream().mapToLong(range -> Math.clamp(size - range.offset(), 0, range.length())).sum();
    }

    /**
     * Writes one buffer to scattered ranges, one after another (list I/O).
     *
     * @param ranges which should not overlap
     * @param from has exactly as many bytes as these ranges; its position moves behind them
     * @throws IllegalArgumentException if the ranges are not as long as the buffer
     */
    public void write(List<SegmentRange> ranges, ByteBuffer from) throws StageException {
        write(ranges, from, null);
    }

    private void write(List<SegmentRange> ranges, ByteBuffer from, @Nullable CollectiveRequest origin)
            throws StageException {
        checkLength(ranges, from);
        checkWritable();
        isWritten = true;
        portions(ranges, from, true, (portion, memory) -> transfer(portion, memory, true, origin));
    }

    void portions(List<SegmentRange> ranges, ByteBuffer buffer, boolean isWrite, Portions.Work work)
            throws StageException {
        Portions.of(stage, ranges, buffer, isWrite, work);
    }

    private static long length(List<SegmentRange> ranges) {
        return ranges.stream().mapToLong(SegmentRange::length).sum();
    }

    private static void checkLength(List<SegmentRange> ranges, ByteBuffer buffer) {
        if (length(ranges) != buffer.remaining()) {
            throw new IllegalArgumentException(
                    "ranges of " + length(ranges) + " bytes, a buffer of " + buffer.remaining());
        }
    }

    void checkOpen() throws StageException {
        if (isClosed) {
            throw new StageException(name(), "the file was closed", Errno.EBADF);
        }
    }

    void checkWritable() throws StageException {
        checkOpen();
        if (!mayWrite) {
            throw new StageException(name(), "write: the file was opened to be read", Errno.EBADF);
        }
        isWritten = true;
    }

    private String name() {
        return stage.catalogue().display(file.path());
    }

    private long transfer(List<SegmentRange> ranges, MemorySegment memory, boolean isWrite,
            @Nullable CollectiveRequest origin) throws StageException {
        List<Map.Entry<Integer, List<SegmentPart>>> used = List
                .copyOf(SegmentPart.bySegment(layout, ranges, memory).entrySet());
        if (!isWrite && origin == null && used.size() > 1) {
            OptionalLong had = readAtOnce(used);
            if (had.isPresent()) {
                return had.getAsLong();
            }
        }
        if (memory.byteSize() >= LEAST_PARALLEL) {
            return SegmentChanges.Together.sum(stage.transfers(), used.size(),
                    i -> transfer(used.get(i).getKey(), used.get(i).getValue(), isWrite, origin));
        }
        long sum = 0;
        for (Map.Entry<Integer, List<SegmentPart>> one : used) {
            sum += transfer(one.getKey(), one.getValue(), isWrite, origin);
        }
        return sum;
    }

    private OptionalLong readAtOnce(List<Map.Entry<Integer, List<SegmentPart>>> used) throws StageException {
        List<Segments> servers = new ArrayList<>();
        List<SegmentKey> keys = new ArrayList<>();
        try {
            for (Map.Entry<Integer, List<SegmentPart>> one : used) {
                servers.add(segments(one.getKey()));
                keys.add(key(one.getKey()));
            }
            return SegmentChanges.Together.read(servers, keys, used.stream().map(Map.Entry::getValue).toList());
        } catch (StageException e) {
            throw e.of(name());
        }
    }

    /** Reads or writes parts of one segment; returns the bytes that it had or has. */
    long transfer(int segment, List<SegmentPart> parts, boolean isWrite) throws StageException {
        return transfer(segment, parts, isWrite, null);
    }

    private long transfer(int segment, List<SegmentPart> parts, boolean isWrite, @Nullable CollectiveRequest origin)
            throws StageException {
        try {
            Segments segments = segments(segment);
            SegmentKey key = key(segment);
            if (!isWrite) {
                return origin == null ? segments.read(key, parts) : segments.read(key, parts, origin);
            }
            sums[segment].before(segments, key, parts);
            if (origin == null) {
                segments.write(key, parts);
            } else {
                segments.write(key, parts, origin);
            }
            for (SegmentPart part : parts) {
                long length = part.bytes().byteSize();
                ends.accumulateAndGet(segment, length == 0 ? 0 : part.offset() + length, Math::max);
            }
            sums[segment].after(segments, key, parts);
            return SegmentPart.bytes(parts);
        } catch (StageException e) {
            if (isWrite) {
                knowsEnds = false;
            }
            throw (isWrite && origin != null ? incomplete(segment, e) : e).of(name());
        }
    }

    // In the catalogue, because another rank may close the file.
    private StageException incomplete(int segment, StageException failure) {
        synchronized (marks) {
            try {
                file = stage.incomplete(file, segment);
                return failure;
            } catch (SpaceException e) {
                return new StageException(failure.subject(),
                        failure.operation() + ", nor could the file be marked as incomplete (" + e.getMessage() + ")",
                        failure.errno(), failure);
            }
        }
    }

    Segments segments(int segment) throws StageException {
        return layout.copies() == 1
                ? stage.segments(layout.serverOf(segment))
                : new SegmentCopies(stage, this, segment);
    }

    /** Marks the copies of a segment in which a change of this client failed. */
    void missed(SegmentKey key, int all, Map<String, StageException> failures) throws StageException {
        synchronized (marks) {
            if (key.generation() != file.generation()) {
                throw failures.values().iterator().next();
            }
            file = stage.missed(file, key.index(), all, failures);
        }
    }

    SegmentKey key(int segment) {
        return file.key(segment);
    }

    StripeSums sums(int segment) {
        return sums[segment];
    }

    long sizeOf(int segment) throws StageException {
        checkOpen();
        if (knowsEnds) {
            return ends.get(segment);
        }
        try {
            return segments(segment).size(file.key(segment));
        } catch (StageException e) {
            throw e.of(name());
        }
    }

    /**
     * Reads the checksums of stripes of a segment, each 0 or a {@link StripeSum}.
     *
     * @param first the number of the first stripe within the segment
     */
    public void readSums(int segment, long first, long[] into) throws StageException {
        checkOpen();
        try {
            segments(segment).readSums(file.key(segment), first, into);
        } catch (StageException e) {
            throw e.of(name());
        }
    }

    /**
     * Returns the size in bytes, of all servers now; that of a new file without asking them.
     *
     * @throws StageException EIO if a segment of a file that is only read ends before its part of what the catalogue
     *         has recorded: the client that closed the file made it so large, and bytes are lost
     */
    public long size() throws StageException {
        checkOpen();
        long[] sizes = sizes();
        for (int i = 0; i < sizes.length && !mayWrite; i++) {
            long recorded = layout.segmentSize(i, file.size());
            if (sizes[i] < recorded) {
                throw new StageException(name(), "segment " + i + " on server " + String.join(" or ", file.good(i))
                        + " ends at byte " + sizes[i] + " of " + recorded, Errno.EIO);
            }
        }
        return size(sizes);
    }

    /** Asks the servers of all segments at the same time. */
    private void ofAll(SegmentChanges.Together.Action action) throws StageException {
        SegmentChanges.Together.each(stage.transfers(), layout.segments(), action);
    }

    private long[] sizes() throws StageException {
        long[] sizes = new long[layout.segments()];
        if (knowsEnds) {
            Arrays.setAll(sizes, ends::get);
        } else {
            ofAll(i -> sizes[i] = sizeOf(i));
        }
        return sizes;
    }

    private long size(long[] sizes) {
        long size = 0;
        for (int i = 0; i < sizes.length; i++) {
            size = Math.max(size, layout.fileSize(i, sizes[i]));
        }
        return size;
    }

    /**
     * Sets the size. The file gets another generation, so that a late write of another client has no effect; other
     * clients that have the file open get ESTALE from now on. If this fails halfway, the next one that opens the file
     * completes it.
     */
    public synchronized void truncate(long size) throws StageException {
        if (size < 0) {
            throw new IllegalArgumentException("size " + size);
        }
        checkWritable();
        flush(false);
        knowsEnds = false;
        if (file.state() == StagedState.INTENT) {
            ofAll(i -> StripeSums.cut(segments(i), file.key(i), layout.segmentSize(i, size), layout.stripe()));
            synchronized (marks) {
                file = size == 0 ? file.withoutData() : file;
            }
        } else {
            StagedFile truncated = stage.truncate(file, size);
            synchronized (marks) {
                file = truncated;
            }
        }
        makeSums(false);
    }

    private void flush(boolean durably) throws StageException {
        try {
            ofAll(i -> {
                if (mayWrite) {
                    sums[i].flush(segments(i), file.key(i));
                }
                if (durably) {
                    segments(i).sync(file.key(i));
                }
            });
        } catch (StageException e) {
            throw e.of(name());
        }
    }

    /** Makes everything that was written durable, on the disks of all servers. */
    public void sync() throws StageException {
        checkOpen();
        flush(true);
    }

    /**
     * Closes the file. Clients that open it afterwards see everything that this one wrote; a new file gets its path. If
     * this fails, a new file has no path; call {@link #abandon} to remove its segments. It fails for a new file that a
     * collective write left incomplete.
     */
    @Override
    public synchronized void close() throws StageException {
        Instant now = Instant.now();
        close(new Timestamp(now.getEpochSecond(), now.getNano()));
    }

    /** Closes the file as {@link #close()} does, with another time of its last change. */
    public synchronized void close(Timestamp mtime) throws StageException {
        if (isClosed) {
            return;
        }
        finish(mtime, true);
    }

    /**
     * Closes a new file without giving it a path: the caller commits it, with others.
     *
     * @return the file as it is to be committed
     */
    public synchronized StagedFile finish(Timestamp mtime) throws StageException {
        checkWritable();
        finish(mtime, false);
        return file.in(StagedState.COMMITTED);
    }

    private void finish(Timestamp mtime, boolean mayCommit) throws StageException {
        if (file.state() == StagedState.INTENT && !file.incomplete().isEmpty()) {
            throw file.refusal(name(), "close");
        }
        if (isWritten || file.state() == StagedState.INTENT) {
            flush(false);
            long[] sizes = sizes();
            long size = size(sizes);
            ofAll(i -> {
                if (sizes[i] < layout.segmentSize(i, size)) {
                    segments(i).grow(file.key(i), layout.segmentSize(i, size));
                }
            });
            StagedFile before = file;
            StagedFile after = before.state() != StagedState.INTENT
                    ? stage.catalogue().closed(before, size, mtime)
                    : mayCommit ? stage.commit(before, size, mtime) : before.with(size, mtime);
            synchronized (marks) {
                file = after;
            }
        }
        isClosed = true;
    }

    /**
     * Gives a new file its path now, unless another entry has it. Other clients can open the file from then on; what
     * this one writes, they see after {@link #close}.
     *
     * @return whether it has the path
     */
    public synchronized boolean publish() throws StageException {
        checkOpen();
        if (file.state() != StagedState.INTENT) {
            throw new IllegalStateException("the file has its path");
        }
        Instant now = Instant.now();
        StagedFile published = file.in(StagedState.COMMITTED)
                .with(isWritten ? size() : 0, new Timestamp(now.getEpochSecond(), now.getNano()));
        if (!stage.catalogue().changes().commitNew(published)) {
            return false;
        }
        knowsEnds = false;
        synchronized (marks) {
            file = published;
        }
        return true;
    }

    /** Closes the file; a new one is removed, with what was written. */
    public synchronized void abandon() throws StageException {
        if (!isClosed && file.state() == StagedState.INTENT) {
            stage.catalogue().remove(file);
            stage.removeSegments(file);
        }
        isClosed = true;
    }

    /** Does {@link #read(ByteBuffer, long)} without waiting. The buffer belongs to the stage until the future ends. */
    public CompletableFuture<Integer> readAsync(ByteBuffer into, long offset) {
        return stage.later(() -> read(into, offset));
    }

    /** Does {@link #write(ByteBuffer, long)} without waiting. The buffer belongs to the stage until the future ends. */
    public CompletableFuture<Integer> writeAsync(ByteBuffer from, long offset) {
        return stage.later(() -> write(from, offset));
    }

    /** Does {@link #sync()} without waiting. */
    public CompletableFuture<@Nullable Void> syncAsync() {
        return stage.later(() -> {
            sync();
            return null;
        });
    }

    /** Does {@link #close()} without waiting. Operations that are in progress must have ended. */
    public CompletableFuture<@Nullable Void> closeAsync() {
        return stage.later(() -> {
            close();
            return null;
        });
    }
}
