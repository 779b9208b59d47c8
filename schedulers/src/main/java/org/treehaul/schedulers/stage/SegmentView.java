// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.nio.ByteBuffer;
import java.util.List;

import org.treehaul.core.annotation.Internal;

/**
 * One segment of a file that is open, as a sequence of bytes of its own: offsets count the bytes of this segment. A
 * task on the host of the segment moves no data over the network. Closing the file ends the view. Thread-safe, except
 * for the position.
 */
public final class SegmentView {

    private final ParallelFile file;
    private final int index;
    private long position;

    SegmentView(ParallelFile file, int index) {
        this.file = file;
        this.index = index;
    }

    /** Returns the number of the segment in the file. */
    public int index() {
        return index;
    }

    /** Returns the name of the server that has the segment. */
    public String server() {
        return file.layout().serverOf(index);
    }

    /** Returns the size of the segment in bytes. */
    public long size() throws StageException {
        return file.sizeOf(index);
    }

    /**
     * Returns the position, in bytes of the segment, of the next {@link #read(ByteBuffer)} or
     * {@link #write(ByteBuffer)}.
     */
    public synchronized long position() {
        return position;
    }

    /**
     * Sets the position, which may lie after the end.
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
     * Reads as many bytes as the buffer has room for, or as the segment has from an offset on.
     *
     * @return their number, by which the position of the buffer has moved; -1 at or after the end
     */
    public int read(ByteBuffer into, long offset) throws StageException {
        file.checkOpen();
        int wanted = into.remaining();
        long[] read = {0};
        file.portions(List.of(new SegmentRange(offset, wanted)), into, false, (ranges, memory) -> read[0] += file
                .transfer(index, List.of(new SegmentPart(ranges.getFirst().offset(), memory)), false));
        into.position(into.position() - wanted + (int) read[0]);
        return read[0] == 0 && wanted > 0 ? -1 : (int) read[0];
    }

    /**
     * Writes all bytes of a buffer at an offset.
     *
     * @return their number, by which the position of the buffer has moved
     */
    public int write(ByteBuffer from, long offset) throws StageException {
        file.checkWritable();
        int length = from.remaining();
        file.portions(List.of(new SegmentRange(offset, length)), from, true, (ranges, memory) -> file.transfer(index,
                List.of(new SegmentPart(ranges.getFirst().offset(), memory)), true));
        return length;
    }

    /** Returns the segments of the server, or of several. */
    @Internal
    public Segments segments() throws StageException {
        return file.segments(index);
    }

    /** Returns the key of the segment in the generation that is open. */
    @Internal
    public SegmentKey key() {
        return file.key(index);
    }

    /** Forgets the checksums of stripes that a caller is about to write by {@link #segments()}. */
    @Internal
    public void beforeWrite(List<SegmentPart> parts) throws StageException {
        file.checkWritable();
        file.sums(index).before(segments(), key(), parts);
    }

    /** Takes the checksums of what was written. */
    @Internal
    public void afterWrite(List<SegmentPart> parts) throws StageException {
        file.sums(index).after(segments(), key(), parts);
    }
}
