// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;

/** A member of a group: waits for the results of the post. */
public class Member implements GroupMember {

    private final Post post;
    private final String group;
    private final int index;
    private final int tasks;

    /**
     * Creates a member.
     *
     * @param index its number
     * @param tasks the number of tasks in the group
     */
    public Member(Post post, String group, int index, int tasks) {
        this.post = post;
        this.group = group;
        this.index = index;
        this.tasks = tasks;
    }

    @Override
    public final String group() {
        return group;
    }

    @Override
    public final int index() {
        return index;
    }

    @Override
    public final List<TaskInfo> query() throws TaskGroupException, InterruptedException {
        return post.query();
    }

    @Override
    public final void send(int destination, byte[] content) throws TaskGroupException, InterruptedException {
        Letter letter = post.send(index, checked(destination, CREATOR), checked(content), false);
        await(letter.sent(), null, false, () -> post.withdraw(letter));
    }

    @Override
    public final boolean send(int destination, byte[] content, Duration timeout)
            throws TaskGroupException, InterruptedException {
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("no time to wait for the acknowledgement: " + timeout);
        }
        Letter letter = post.send(index, checked(destination, CREATOR), checked(content), true);
        return await(letter.sent(), timeout, false, () -> post.withdraw(letter));
    }

    private int checked(int member, int lowest) {
        if (member < lowest || member >= tasks) {
            throw new IllegalArgumentException("no member of the group: " + member + "; it has " + tasks + " tasks");
        }
        return member;
    }

    private static byte[] checked(byte[] content) {
        if (content.length > LONGEST_MESSAGE) {
            throw new IllegalArgumentException(
                    "a message of " + content.length + " bytes, more than " + LONGEST_MESSAGE);
        }
        return content;
    }

    @Override
    public final Message receive(int source) throws TaskGroupException, InterruptedException {
        return take(source, null).orElseThrow();
    }

    @Override
    public final Optional<Message> receive(int source, Duration timeout)
            throws TaskGroupException, InterruptedException {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("a negative time: " + timeout);
        }
        return take(source, timeout);
    }

    private Optional<Message> take(int source, @Nullable Duration timeout)
            throws TaskGroupException, InterruptedException {
        Receipt receipt = post.receive(index, checked(source, ANY));
        Optional<Letter> letter = await(receipt.letter(), timeout, Optional.empty(), () -> post.cancel(receipt));
        if (letter.isPresent() && letter.get().isAcknowledged()) {
            post.acknowledge(letter.get());
        }
        return letter.map(one -> new Message(one.from(), one.content()));
    }

    @Override
    public final void kill(int task) {
        post.kill(checked(task, 0));
    }

    @Override
    public final void killAll() {
        for (int task = 0; task < tasks; task++) {
            if (task != index) {
                post.kill(task);
            }
        }
        if (index >= 0) {
            post.kill(index);
        }
    }

    /**
     * Waits for a result.
     *
     * @param timeout how long; null without a limit
     * @param nothing the result after giving up
     * @param giveUp has the future completed with that result, unless another one comes first, which then counts
     */
    private static <T> T await(CompletableFuture<T> future, @Nullable Duration timeout, T nothing, Runnable giveUp)
            throws TaskGroupException, InterruptedException {
        try {
            return timeout == null ? future.get() : future.get(Hub.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            giveUp.run();
            return settled(future);
        } catch (InterruptedException e) {
            giveUp.run();
            T result = settled(future);
            if (result.equals(nothing)) {
                throw e;
            }
            // The message is not lost; the next call that waits throws.
            Thread.currentThread().interrupt();
            return result;
        } catch (ExecutionException e) {
            throw copy(e.getCause());
        }
    }

    // An interrupt is deferred: the other end answers, or is found to be gone.
    private static <T> T settled(CompletableFuture<T> future) throws TaskGroupException {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw copy(e.getCause());
        }
    }

    // With the stack of this thread.
    private static TaskGroupException copy(@Nullable Throwable cause) {
        if (cause instanceof TaskGroupException failure) {
            TaskGroupException copy = new TaskGroupException(String.valueOf(failure.getMessage()),
                    failure.task().orElse(-1));
            copy.initCause(failure);
            return copy;
        }
        throw new IllegalStateException(cause);
    }
}
