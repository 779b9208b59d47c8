// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.threads.Threads;

class StripeCopyTest {

    private static final int STRIPE = 10;
    private static final int SIZE = 1000;

    private final StripeCopy copy = new StripeCopy(Linux.calls(), 3);

    private static void await(CountDownLatch latch) {
        boolean isInterrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void eachStripeIsHandledOnce() throws Exception {
        List<Long> seen = Collections.synchronizedList(new ArrayList<>());

        copy.each(SIZE - 1, STRIPE, at -> true, (tools, at) -> seen.add(at));

        assertThat(seen).containsExactlyInAnyOrderElementsOf(
                LongStream.iterate(0, at -> at < SIZE, at -> at + STRIPE).boxed().toList());
    }

    @Test
    void aFileWithoutBytesHasNoStripe() throws Exception {
        List<Long> seen = new ArrayList<>();

        copy.each(0, STRIPE, at -> true, (tools, at) -> seen.add(at));

        assertThat(seen).isEmpty();
    }

    @Test
    void otherThreadsHelpWithTheOnlyFile() throws Exception {
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        CountDownLatch all = new CountDownLatch(3);

        copy.each(SIZE, STRIPE, at -> true, (tools, at) -> {
            if (seen.add(Thread.currentThread())) {
                all.countDown();
            }
            await(all);
        });

        assertThat(seen).hasSize(3).contains(Thread.currentThread());
    }

    @Test
    void aFileOfFewStripesHasOneThread() throws Exception {
        Set<Thread> seen = ConcurrentHashMap.newKeySet();

        copy.each(7 * STRIPE, STRIPE, at -> true, (tools, at) -> seen.add(Thread.currentThread()));

        assertThat(seen).containsExactly(Thread.currentThread());
    }

    @Test
    void threadsThatHelpLeaveWhenOtherFilesCome() throws Exception {
        Set<Thread> helpers = ConcurrentHashMap.newKeySet();
        CountDownLatch helped = new CountDownLatch(2);
        CountDownLatch othersWork = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        List<Thread> others = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            others.add(Thread.ofPlatform().start(() -> {
                await(helped);
                try {
                    copy.each(STRIPE, STRIPE, at -> true, (tools, at) -> {
                        othersWork.countDown();
                        await(end);
                    });
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }

        copy.each(SIZE, STRIPE, at -> true, (tools, at) -> {
            if (!Thread.currentThread().equals(caller)) {
                if (helpers.add(Thread.currentThread())) {
                    helped.countDown();
                }
                // Both others are in: this thread is one too many, and gets no other stripe.
                await(othersWork);
            } else if (at >= SIZE / 2) {
                await(othersWork);
                helpers.forEach(Threads::join);
            }
        });
        assertThat(helpers).hasSize(2).noneMatch(Thread::isAlive);
        end.countDown();
        others.forEach(Threads::join);
    }

    @Test
    void theFailureOfAThreadThatHelpsIsThatOfTheFile() {
        Thread caller = Thread.currentThread();
        CountDownLatch failed = new CountDownLatch(1);

        assertThatThrownBy(() -> copy.each(SIZE, STRIPE, at -> true, (tools, at) -> {
            if (!Thread.currentThread().equals(caller)) {
                failed.countDown();
                throw new IOException("stripe " + at);
            }
            await(failed);
        })).isInstanceOf(IOException.class).hasMessageStartingWith("stripe ");
    }

    @Test
    void noFurtherStripeBeginsWhenItIsNotWanted() throws Exception {
        List<Long> seen = Collections.synchronizedList(new ArrayList<>());

        copy.each(SIZE, STRIPE, at -> at < SIZE / 2, (tools, at) -> seen.add(at));

        assertThat(seen).hasSize(SIZE / 2 / STRIPE).allMatch(at -> at < SIZE / 2);
    }
}
