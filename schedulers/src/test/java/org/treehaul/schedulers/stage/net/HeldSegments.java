// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StoredSegment;

/** Segments on a disk that hangs: sizes are not found until the test lets them. Notes the numbers of segments that are read. */
final class HeldSegments implements Segments {

    final CountDownLatch held = new CountDownLatch(1);
    final CountDownLatch mayGo = new CountDownLatch(1);
    final List<Integer> read = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Segments> below = new AtomicReference<>();

    /** Sets what is below. */
    Segments over(Segments segments) {
        below.set(segments);
        return this;
    }

    private Segments segments() {
        return Objects.requireNonNull(below.get());
    }

    @Override
    public long size(SegmentKey key) throws StageException {
        held.countDown();
        try {
            mayGo.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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
        read.add(key.index());
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
        mayGo.countDown();
        segments().close();
    }
}
