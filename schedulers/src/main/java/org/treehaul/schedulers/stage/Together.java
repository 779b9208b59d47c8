// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import org.jspecify.annotations.Nullable;

/** Operations on several segments, which take place at the same time. */
final class Together {

    /** An operation on one of several segments. */
    interface Part {
        long of(int index) throws StageException;
    }

    /** An operation on one of several segments, without a result. */
    interface Action {
        void of(int index) throws StageException;
    }

    private Together() {}

    /**
     * Carries out an operation for each number from 0 to below a count, the first one on this thread. It waits for all,
     * also after a failure: their memory belongs to the caller again afterwards.
     *
     * @return the sum of their results
     * @throws StageException the first failure, with the others suppressed
     */
    static long sum(ExecutorService threads, int count, Part part) throws StageException {
        List<Future<Long>> all = new ArrayList<>();
        for (int i = 1; i < count; i++) {
            int index = i;
            all.add(threads.submit(() -> part.of(index)));
        }
        if (count > 0) {
            FutureTask<Long> first = new FutureTask<>(() -> part.of(0));
            first.run();
            all.addFirst(first);
        }
        long sum = 0;
        Exception failure = null;
        for (Future<Long> one : all) {
            try {
                sum += await(one);
            } catch (StageException | RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        switch (failure) {
            case null -> {}
            case StageException failed -> throw failed;
            default -> throw (RuntimeException) failure;
        }
        return sum;
    }

    /** Carries out an operation for each number, as {@link #sum} does. */
    static void each(ExecutorService threads, int count, Action action) throws StageException {
        sum(threads, count, index -> {
            action.of(index);
            return 0;
        });
    }

    /** Waits for an operation, also if this thread is interrupted, which it is again afterwards. */
    static <T extends @Nullable Object> T await(Future<T> part) throws StageException {
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return part.get();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof StageException failed) {
                        throw failed;
                    }
                    throw new IllegalStateException(e.getCause());
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
