// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.BusyCarriers;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

class SweeperTest {

    private static final long HOUR_MILLIS = 3_600_000;
    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void sweepsAtTheTimeThatIsDueAndNotAgainAndAgainUntilTheNext() throws Exception {
        InstantSource clock = InstantSource.system();
        AtomicInteger sweeps = new AtomicInteger();
        try (Sweeper sweeper = new Sweeper(clock, () -> {
            sweeps.incrementAndGet();
            return clock.millis() + HOUR_MILLIS;
        })) {
            sweeper.due(clock.millis() + 10);
            Awaitility.await().until(() -> sweeps.get() > 0);
            Thread.sleep(200);
            // One sweep for the lease that was due, one for its notification.
            assertThat(sweeps).hasValueBetween(1, 2);
        }
    }

    @Test
    void watchedTimesAreCheckedWhenTheyEndHoweverManySweepsPrecede() throws Exception {
        InstantSource clock = InstantSource.system();
        // Forty of the longest waits would take minutes.
        CountDownLatch asked = new CountDownLatch(40);
        try (Sweeper sweeper = new Sweeper(clock, () -> Store.NEVER)) {
            sweeper.watch(now -> {
                asked.countDown();
                return now + 10;
            });
            sweeper.due(clock.millis());
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void objectsAreWatchedWhileOneOfThemWaitsToEnd() {
        try (Sweeper sweeper = new Sweeper(InstantSource.system(), () -> Store.NEVER)) {
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            CompletableFuture<Boolean> goOn = new CompletableFuture<>();
            sweeper.watch(now -> {
                begun.complete(true);
                goOn.join();
                return Sweeper.OVER;
            });
            assertThat(begun).succeedsWithin(LONG);
            // As a thread does that keeps all others from changing the space.
            CompletableFuture<Void> watching = CompletableFuture.runAsync(() -> sweeper.watch(now -> Sweeper.OVER));
            assertThat(watching).succeedsWithin(LONG);
            goOn.complete(true);
        }
    }

    @Test
    void anObjectThatHasEndedIsCheckedNoMore() {
        Sweeper sweeper = new Sweeper(InstantSource.system(), () -> Store.NEVER);
        // Its own thread must not check the object too.
        sweeper.start();
        sweeper.close();
        sweeper.awaitEnd();
        AtomicInteger checks = new AtomicInteger();
        sweeper.watch(now -> checks.incrementAndGet() < 2 ? now + HOUR_MILLIS : Sweeper.OVER);
        for (int i = 0; i < 4; i++) {
            sweeper.sweep();
        }
        assertThat(checks).hasValue(2);
    }

    @Test
    void anEarlierDueTimeWakesTheSweeper() throws Exception {
        InstantSource clock = InstantSource.system();
        CountDownLatch swept = new CountDownLatch(3);
        try (Sweeper sweeper = new Sweeper(clock, () -> {
            swept.countDown();
            return Store.NEVER;
        })) {
            while (swept.getCount() > 0) {
                long count = swept.getCount();
                sweeper.due(clock.millis());
                Awaitility.await().until(() -> swept.getCount() < count);
            }
        }
    }

    @Test
    void sweepsWhileAllCarriersOfVirtualThreadsAreBusy() throws Exception {
        InstantSource clock = InstantSource.system();
        CountDownLatch swept = new CountDownLatch(1);
        try (BusyCarriers _ = new BusyCarriers(); Sweeper sweeper = new Sweeper(clock, () -> {
            swept.countDown();
            return Store.NEVER;
        })) {
            sweeper.due(clock.millis());
            assertThat(swept.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theEndOfASweepThatHasBegunIsAwaited() throws Exception {
        InstantSource clock = InstantSource.system();
        CountDownLatch swept = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Sweeper sweeper = new Sweeper(clock, () -> {
            begun.countDown();
            LockSupport.parkNanos(300_000_000);
            swept.countDown();
            return Store.NEVER;
        });
        sweeper.awaitEnd();
        sweeper.due(clock.millis());
        begun.await();
        sweeper.close();
        sweeper.awaitEnd();
        assertThat(swept.getCount()).isZero();
    }

    // Two sweeps, so that the first has ended with everything that it logs.
    private static String loggedAfter(Supplier<? extends RuntimeException> failing) {
        PrintStream usual = System.err;
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        System.setErr(new PrintStream(logged, true, UTF_8));
        try {
            InstantSource clock = InstantSource.system();
            AtomicInteger sweeps = new AtomicInteger();
            try (Sweeper sweeper = new Sweeper(clock, () -> {
                sweeps.incrementAndGet();
                throw failing.get();
            })) {
                Awaitility.await().until(() -> {
                    sweeper.due(clock.millis());
                    return sweeps.get() > 1;
                });
            }
        } finally {
            System.setErr(usual);
        }
        return logged.toString(UTF_8);
    }

    private static String loggedAfterFailure(SpaceException.Reason reason) {
        return loggedAfter(() -> new SpaceException(reason, "failure of a test"));
    }

    @Test
    void warnsOfAFailureButNotOfAnotherProcessThatWrites() {
        assertThat(loggedAfterFailure(SpaceException.Reason.IO)).contains("failure of a test");
        assertThat(loggedAfterFailure(SpaceException.Reason.BUSY)).doesNotContain("failure of a test");
    }

    @Test
    void goesOnAfterAnyOtherFailureToo() {
        assertThat(loggedAfter(() -> {
            throw new OutOfMemoryError("as if");
        })).contains("trying again: java.lang.OutOfMemoryError: as if");
    }
}
