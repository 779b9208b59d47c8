// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.strategies.collective.order.CollectiveRequest;

/**
 * The copies of one segment of an open file, on different servers, as one. A change goes to all copies that missed none
 * so far, at the same time; one that fails in some of them returns when these are marked in the catalogue, and fails if
 * it failed in all. A question is answered by the first copy that missed no change and whose server answers.
 * <p>
 * Thread-safe. Each operation on all copies may be repeated, as in {@link Segments}.
 */
final class SegmentCopies implements Segments {

    private final Stage stage;
    private final ParallelFile file;
    private final int index;

    SegmentCopies(Stage stage, ParallelFile file, int index) {
        this.stage = stage;
        this.file = file;
        this.index = index;
    }

    /** A change of one copy. */
    private interface Change {
        void of(Segments segments) throws StageException;
    }

    /** A question to one copy. */
    private interface Question {
        long of(Segments segments) throws StageException;
    }

    private void change(SegmentKey key, Change change) throws StageException {
        List<String> good = file.staged().good(index);
        if (good.isEmpty()) {
            throw none();
        }
        @Nullable StageException[] failed = new @Nullable StageException[good.size()];
        SegmentChanges.Together.each(stage.copies(), good.size(), i -> {
            try {
                change.of(stage.segments(good.get(i)));
            } catch (StageException e) {
                failed[i] = e;
            }
        });
        Map<String, StageException> failures = new LinkedHashMap<>();
        for (int i = 0; i < failed.length; i++) {
            StageException failure = failed[i];
            if (failure != null) {
                failures.put(good.get(i), failure);
            }
        }
        if (!failures.isEmpty()) {
            file.missed(key, good.size(), failures);
        }
    }

    private long ask(Question question) throws StageException {
        StageException first = null;
        for (String server : file.staged().good(index)) {
            try {
                return question.of(stage.segments(server));
            } catch (StageException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        throw first == null ? none() : first;
    }

    private StageException none() {
        return new StageException("segment " + index + " on servers " + server(), "no copy is complete", Errno.EIO);
    }

    @Override
    public String server() {
        return String.join(",", file.layout().serversOf(index));
    }

    @Override
    public void create(SegmentKey key) throws StageException {
        change(key, segments -> segments.create(key));
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
        return ask(segments -> segments.read(key, parts));
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
        change(key, segments -> segments.write(key, parts));
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        return ask(segments -> segments.read(key, parts, origin));
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        change(key, segments -> segments.write(key, parts, origin));
    }

    @Override
    public long size(SegmentKey key) throws StageException {
        return ask(segments -> segments.size(key));
    }

    @Override
    public void truncate(SegmentKey key, long size) throws StageException {
        change(key, segments -> segments.truncate(key, size));
    }

    @Override
    public void grow(SegmentKey key, long size) throws StageException {
        change(key, segments -> segments.grow(key, size));
    }

    @Override
    public void advance(SegmentKey key, long generation) throws StageException {
        change(key, segments -> segments.advance(key, generation));
    }

    @Override
    public void readSums(SegmentKey key, long first, long[] into) throws StageException {
        ask(segments -> {
            segments.readSums(key, first, into);
            return 0;
        });
    }

    @Override
    public void writeSums(SegmentKey key, long first, long[] sums) throws StageException {
        change(key, segments -> segments.writeSums(key, first, sums));
    }

    @Override
    public void sync(SegmentKey key) throws StageException {
        change(key, segments -> segments.sync(key));
    }

    @Override
    public void remove(SegmentKey key) throws StageException {
        change(key, segments -> segments.remove(key));
    }

    @Override
    public void list(Consumer<? super StoredSegment> action) throws StageException {
        throw new UnsupportedOperationException("a segment is no server");
    }

    @Override
    public void close() {
        // The stage closes the servers.
    }
}
