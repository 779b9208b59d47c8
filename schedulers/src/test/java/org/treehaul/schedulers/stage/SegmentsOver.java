// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.List;
import java.util.function.Consumer;

/** Segments of tests that do what others do, except what a subclass changes. */
public abstract class SegmentsOver implements Segments {

    /** Returns the segments that do the work. */
    protected abstract Segments segments();

    @Override
    public long size(SegmentKey key) throws StageException {
        return segments().size(key);
    }

    @Override
    public String server() {
        return segments().server();
    }

    @Override
    public void create(SegmentKey key) throws StageException {
        segments().create(key);
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
        return segments().read(key, parts);
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
        segments().write(key, parts);
    }

    @Override
    public void truncate(SegmentKey key, long size) throws StageException {
        segments().truncate(key, size);
    }

    @Override
    public void grow(SegmentKey key, long size) throws StageException {
        segments().grow(key, size);
    }

    @Override
    public void advance(SegmentKey key, long generation) throws StageException {
        segments().advance(key, generation);
    }

    @Override
    public void readSums(SegmentKey key, long first, long[] into) throws StageException {
        segments().readSums(key, first, into);
    }

    @Override
    public void writeSums(SegmentKey key, long first, long[] sums) throws StageException {
        segments().writeSums(key, first, sums);
    }

    @Override
    public void sync(SegmentKey key) throws StageException {
        segments().sync(key);
    }

    @Override
    public void remove(SegmentKey key) throws StageException {
        segments().remove(key);
    }

    @Override
    public void list(Consumer<? super StoredSegment> action) throws StageException {
        segments().list(action);
    }

    @Override
    public void close() {
        segments().close();
    }
}
