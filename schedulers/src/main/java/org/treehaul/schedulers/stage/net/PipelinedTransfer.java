// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.strategies.collective.order.CollectiveRequest;

/**
 * An operation on data for which no thread waits: requests are sent as far as there is room, the others by the thread
 * that gives room back, and answers are used by the thread of the connection. It ends when all its requests have ended.
 */
final class PipelinedTransfer {

    private final RemoteSegments segments;
    private final ClientConnection to;
    private final Operation operation;
    private final SegmentKey key;
    private final CollectiveRequest origin;
    private final Cuts cuts;
    private final CompletableFuture<Long> end = new CompletableFuture<>();
    // The requests on the way, and the sending itself.
    private final AtomicInteger left = new AtomicInteger(1);
    private final AtomicLong sum = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    PipelinedTransfer(RemoteSegments segments, ClientConnection to, Operation operation, SegmentKey key,
            List<SegmentPart> parts, CollectiveRequest origin) {
        this.segments = segments;
        this.to = to;
        this.operation = operation;
        this.key = key;
        this.origin = origin;
        this.cuts = new Cuts(parts);
    }

    CompletableFuture<Long> begin() {
        sendRest();
        return end;
    }

    // By one thread at a time: the next one is that which has room for the request at which this one stopped.
    private void sendRest() {
        try {
            while (failure.get() == null && cuts.hasNext()) {
                Cuts.Cut cut = cuts.next();
                boolean isRead = operation == Operation.READ;
                Request request = new Request(operation, to.nextId(), key, 0, cut.ranges(),
                        isRead ? List.of() : cut.memory(), isRead ? cut.bytes() : 0, origin);
                if (!to.reserveOrLater(request.cost(), () -> sendAndRest(request, cut))) {
                    return;
                }
                send(request, cut);
            }
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
        ended();
    }

    private void sendAndRest(Request request, Cuts.Cut cut) {
        try {
            send(request, cut);
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
        sendRest();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // its failures are taken
    private void send(Request request, Cuts.Cut cut) {
        left.incrementAndGet();
        Call call;
        try {
            call = to.send(request, RemoteSegments.place(operation == Operation.READ, cut));
        } catch (RuntimeException | Error e) {
            left.decrementAndGet();
            to.giveBack(request.cost());
            throw e;
        }
        RemoteSegments.Begun begun = new RemoteSegments.Begun(call, cut, request.cost());
        // The thread of the connection may not wait until the request is sent, which is the case with every answer, but
        // not always when the connection ends.
        AtomicBoolean isFollowed = new AtomicBoolean();
        Runnable follow = () -> {
            if (isFollowed.compareAndSet(false, true)) {
                call.answer().whenComplete((answer, problem) -> use(begun));
            }
        };
        if (!isUnsent(call)) {
            call.sent().addListener(sent -> follow.run());
        }
        // After the end of the threads of the network no listener is called, also none of a request that was sent.
        if (isUnsent(call) || call.sent().isDone() && to.hasNoThread()) {
            follow.run();
        }
    }

    private static boolean isUnsent(Call call) {
        return call.sent().isDone() && !call.sent().isSuccess();
    }

    private void use(RemoteSegments.Begun begun) {
        try {
            sum.addAndGet(segments.finish(to, begun));
        } catch (StageException | RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
        ended();
    }

    private void ended() {
        if (left.decrementAndGet() > 0) {
            return;
        }
        Throwable failed = failure.get();
        if (failed == null) {
            end.complete(sum.get());
        } else {
            end.completeExceptionally(failed instanceof StageException
                    ? failed
                    : new StageException(segments.server(), operation.words() + ": " + failed, Errno.EIO, failed));
        }
    }
}
