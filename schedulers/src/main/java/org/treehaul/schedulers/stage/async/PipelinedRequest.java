// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * A read or write whose parts are on the way to all their servers at the same time. No thread waits for them: the
 * answer comes on the thread of the network that has the last part. Before and after a write another thread takes the
 * checksums, for which it may have to ask a server.
 */
final class PipelinedRequest {

    private final Request request;
    private final StageCalls.OpenFile file;
    private final StageCalls calls;
    private final Executor others;
    private final List<@Nullable List<SegmentPart>> parts = new ArrayList<>();
    // The segments, and the sending itself.
    private final AtomicInteger left = new AtomicInteger(1);
    private final AtomicLong had = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private @Nullable Thread sender;

    /**
     * Creates the request.
     *
     * @param others runs work that may wait
     */
    PipelinedRequest(Request request, StageCalls.OpenFile file, StageCalls calls, Executor others) {
        this.request = request;
        this.file = file;
        this.calls = calls;
        this.others = others;
    }

    void begin() {
        if (request.kind() == Request.Kind.READ) {
            send();
        } else {
            others.execute(this::send);
        }
    }

    private void send() {
        sender = Thread.currentThread();
        try {
            cut();
            for (int i = 0; i < parts.size(); i++) {
                List<SegmentPart> its = parts.get(i);
                if (its != null) {
                    send(file.segments().get(i), its);
                }
            }
        } catch (StageException | RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
        partEnded();
        sender = null;
    }

    private void cut() {
        StripeLayout layout = file.file().layout();
        for (int i = 0; i < layout.segments(); i++) {
            parts.add(null);
        }
        for (StripeLayout.Piece piece : layout.pieces(request.offset(), request.memory().byteSize())) {
            List<SegmentPart> its = parts.get(piece.segment());
            if (its == null) {
                its = new ArrayList<>();
                parts.set(piece.segment(), its);
            }
            its.add(new SegmentPart(piece.offset(),
                    request.memory().asSlice(piece.at() - request.offset(), piece.length())));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failures are taken
    private void send(StageCalls.Pipe pipe, List<SegmentPart> its) throws StageException {
        boolean isWrite = request.kind() == Request.Kind.WRITE;
        if (isWrite) {
            pipe.segment().beforeWrite(its);
        }
        left.incrementAndGet();
        pipe.server().begin(pipe.segment().key(), its, isWrite).whenComplete((number, problem) -> {
            if (problem != null) {
                failure.compareAndSet(null, problem);
            } else {
                had.addAndGet(number);
            }
            partEnded();
        });
    }

    private void partEnded() {
        if (left.decrementAndGet() > 0) {
            return;
        }
        boolean isWhole = request.kind() == Request.Kind.READ && failure.get() == null
                && had.get() == request.memory().byteSize();
        if (!isWhole || Thread.currentThread().equals(sender)) {
            // Not here: it may wait for a server, or this is within the call that began the request.
            others.execute(this::answer);
        } else {
            IoThread.lend(() -> request.answered().answered(had.get()));
        }
    }

    private void answer() {
        long result;
        try {
            result = result();
        } catch (StageException e) {
            request.answered().failed(calls.errno(e), e);
            return;
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            result = -(request.kind() == Request.Kind.WRITE ? Errno.EFBIG : Errno.EINVAL);
        } catch (RuntimeException | Error e) {
            request.answered().answered(-Errno.EIO);
            throw e;
        }
        request.answered().answered(result);
    }

    private long result() throws StageException {
        ParallelFile parallel = file.file();
        long length = request.memory().byteSize();
        switch (failure.get()) {
            case null -> {}
            case StageException e -> throw e.of(parallel.path().toString());
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
        if (request.kind() == Request.Kind.WRITE) {
            for (int i = 0; i < parts.size(); i++) {
                List<SegmentPart> its = parts.get(i);
                if (its != null) {
                    file.segments().get(i).segment().afterWrite(its);
                }
            }
            return length;
        }
        // Parts without data are holes, unless they lie behind the end.
        return had.get() == length ? length : Math.clamp(parallel.size() - request.offset(), 0, length);
    }
}
