// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.StageException;

/**
 * Segments on a disk that hangs: sizes are not found until the test lets them. Notes the numbers of segments that are
 * read.
 */
final class HeldSegments extends SegmentsOver {

    final CountDownLatch held = new CountDownLatch(1);
    final CountDownLatch mayGo = new CountDownLatch(1);
    final List<Integer> read = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Segments> below = new AtomicReference<>();

    /** Sets what is below. */
    Segments over(Segments segments) {
        below.set(segments);
        return this;
    }

    @Override
    protected Segments segments() {
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
        return super.size(key);
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
        read.add(key.index());
        return super.read(key, parts);
    }

    @Override
    public void close() {
        mayGo.countDown();
        super.close();
    }
}
