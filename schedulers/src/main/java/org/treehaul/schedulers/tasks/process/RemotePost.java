// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.Letter;
import org.treehaul.schedulers.tasks.post.Post;
import org.treehaul.schedulers.tasks.post.Receipt;

/** The post of a process, which asks the hub of the creator. Safe for any number of threads. */
final class RemotePost implements Post {

    private final Connection connection;
    private final Map<Long, Letter> letters = new HashMap<>();
    private final Map<Long, Receipt> receipts = new HashMap<>();
    private final Map<Long, CompletableFuture<List<TaskInfo>>> queries = new HashMap<>();
    private final Map<Letter, Long> unacknowledged = new HashMap<>();
    private long last;
    private @Nullable String broken;

    RemotePost(Connection connection) {
        this.connection = connection;
    }

    @Override
    public Letter send(int from, int to, byte[] content, boolean isAcknowledged) {
        Letter letter = new Letter(from, to, content, isAcknowledged);
        // Before the lock, which the thread that reads needs.
        connection.awaitRoom();
        String reason = request(letters, letter, request -> new Frame.Send(request, from, to, isAcknowledged, content));
        if (reason != null) {
            letter.sent().completeExceptionally(new TaskGroupException(reason));
        }
        return letter;
    }

    @Override
    public Receipt receive(int member, int source) {
        Receipt receipt = Receipt.of(member, source);
        String reason = request(receipts, receipt, request -> new Frame.Receive(request, member, source));
        if (reason != null) {
            receipt.letter().completeExceptionally(new TaskGroupException(reason));
        }
        return receipt;
    }

    @Override
    public List<TaskInfo> query() throws TaskGroupException, InterruptedException {
        CompletableFuture<List<TaskInfo>> tasks = new CompletableFuture<>();
        String reason = request(queries, tasks, Frame.Query::new);
        if (reason != null) {
            throw new TaskGroupException(reason);
        }
        try {
            return tasks.get();
        } catch (ExecutionException e) {
            throw new TaskGroupException(reason(e.getCause()), e);
        }
    }

    private static String reason(@Nullable Throwable cause) {
        return cause == null ? "no answer" : String.valueOf(cause.getMessage());
    }

    /** Makes the frame of a request from its number. */
    private interface Request {
        Frame frame(long number);
    }

    // Returns why the connection is broken; null if it is not.
    private synchronized <T> @Nullable String request(Map<Long, T> open, T waiting, Request request) {
        if (broken == null) {
            open.put(++last, waiting);
            // Under the lock, so that requests of one member keep their order.
            connection.send(request.frame(last));
        }
        return broken;
    }

    @Override
    public void withdraw(Letter letter) {
        cancel(letters, letter);
    }

    @Override
    public void cancel(Receipt receipt) {
        cancel(receipts, receipt);
    }

    private synchronized <T> void cancel(Map<Long, T> open, T waiting) {
        open.forEach((request, one) -> {
            if (one.equals(waiting)) {
                connection.send(new Frame.Cancel(request));
            }
        });
    }

    @Override
    public synchronized void acknowledge(Letter letter) {
        Long request = unacknowledged.remove(letter);
        if (request != null) {
            connection.send(new Frame.Acknowledge(request));
        }
    }

    @Override
    public void kill(int task) {
        connection.send(new Frame.Kill(task));
    }

    /** Completes the request that a frame answers. Returns false if the frame is no answer. */
    boolean answer(Frame frame) {
        switch (frame) {
            case Frame.Sent sent -> complete(letters, sent.request(), letter -> letter.sent().complete(true));
            case Frame.Received received -> received(received);
            case Frame.Cancelled cancelled -> {
                complete(letters, cancelled.request(), letter -> letter.sent().complete(false));
                complete(receipts, cancelled.request(), receipt -> receipt.letter().complete(Optional.empty()));
            }
            case Frame.Failed failed -> {
                TaskGroupException why = new TaskGroupException(failed.reason(), failed.task());
                complete(letters, failed.request(), letter -> letter.sent().completeExceptionally(why));
                complete(receipts, failed.request(), receipt -> receipt.letter().completeExceptionally(why));
            }
            case Frame.Tasks tasks -> complete(queries, tasks.request(), query -> query.complete(tasks.tasks()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void received(Frame.Received received) {
        Receipt receipt;
        Letter letter;
        synchronized (this) {
            receipt = receipts.remove(received.request());
            if (receipt == null) {
                return;
            }
            letter = new Letter(received.from(), receipt.member(), received.content(), received.isAcknowledged());
            if (letter.isAcknowledged()) {
                unacknowledged.put(letter, received.request());
            }
        }
        receipt.letter().complete(Optional.of(letter));
    }

    /** Completes something that waits. */
    private interface Completion<T> {
        void complete(T waiting);
    }

    private <T> void complete(Map<Long, T> open, long request, Completion<T> completion) {
        T waiting;
        synchronized (this) {
            waiting = open.remove(request);
        }
        if (waiting != null) {
            completion.complete(waiting);
        }
    }

    /** Fails everything that waits, and all further requests. */
    void fail(String reason) {
        List<Letter> unsent;
        List<Receipt> waiting;
        List<CompletableFuture<List<TaskInfo>>> unanswered;
        synchronized (this) {
            broken = reason;
            unsent = List.copyOf(letters.values());
            waiting = List.copyOf(receipts.values());
            unanswered = List.copyOf(queries.values());
            letters.clear();
            receipts.clear();
            queries.clear();
        }
        TaskGroupException why = new TaskGroupException(reason);
        unsent.forEach(letter -> letter.sent().completeExceptionally(why));
        waiting.forEach(receipt -> receipt.letter().completeExceptionally(why));
        unanswered.forEach(query -> query.completeExceptionally(why));
    }
}
