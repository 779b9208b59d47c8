// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;

/** An attempt may write as long as its last check was recent enough, by whichever clock is ahead. */
class LeaseTest {

    private final AtomicLong nanos = new AtomicLong(5);
    private final AtomicLong millis = new AtomicLong(7_000);
    private final Cancellation work = new Cancellation();
    private final Lease lease = new Lease(Duration.ofSeconds(60), work, now(), this::now);

    private Lease.Moment now() {
        return new Lease.Moment(nanos.get(), millis.get());
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        millis.addAndGet(time.toMillis());
    }

    @Test
    void goodLooksKeepItAlive() throws IOException {
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(50));
            assertThat(lease.isGood()).isTrue();
            lease.renew(Optional::empty);
        }
        assertThat(work.isCancelled()).isFalse();
    }

    @Test
    void itCountsFromBeforeTheLook() throws IOException {
        lease.renew(() -> {
            pass(Duration.ofSeconds(50));
            return Optional.empty();
        });
        pass(Duration.ofSeconds(20));
        assertThat(lease.isGood()).isFalse();
        assertThat(lease.loss()).contains(Lease.Loss.LAPSED);
        assertThat(work.isCancelled()).isTrue();
    }

    @Test
    void aLookThatFailsRenewsNothing() {
        pass(Duration.ofSeconds(50));
        assertThatThrownBy(() -> lease.renew(() -> {
            throw new IOException("stale");
        })).hasMessage("stale");
        assertThat(lease.isGood()).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(lease.isGood()).isFalse();
    }

    @Test
    void aLapsedLeaseIsNeverValidAgain() throws IOException {
        pass(Duration.ofSeconds(61));
        lease.renew(Optional::empty);
        assertThat(lease.isGood()).isFalse();
        lease.renew(Optional::empty);
        assertThat(lease.isGood()).isFalse();
    }

    @Test
    void itCountsFromBeforeTheClaim() {
        Lease.Moment since = now();
        pass(Duration.ofSeconds(60));
        Lease late = new Lease(Duration.ofSeconds(60), work, since, this::now);
        assertThat(late.isGood()).isFalse();
    }

    @Test
    void aLapsedLeaseAllowsWritesForAWhile() {
        pass(Duration.ofSeconds(89));
        assertThat(lease.isGood()).isFalse();
        assertThat(lease.mayWrite()).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(lease.mayWrite()).isFalse();
        nanos.set(5);
        millis.set(7_000);
        assertThat(lease.mayWrite()).isFalse();
    }

    @Test
    void aWorkerThatWasTakenOverMayNotWrite() throws IOException {
        lease.renew(() -> Optional.of(Lease.Loss.SUPERSEDED));
        assertThat(lease.mayWrite()).isTrue();
        Lease other = new Lease(Duration.ofSeconds(60), work, now(), this::now);
        other.renew(() -> Optional.of(Lease.Loss.TAKEN_OVER));
        assertThat(other.mayWrite()).isFalse();
    }

    @Test
    void aMachineThatSleptHasLostIt() {
        millis.addAndGet(3_600_000);
        assertThat(lease.isGood()).isFalse();
    }

    @Test
    void aClockThatIsSetBackKeepsNothingAlive() {
        millis.addAndGet(-3_600_000);
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(lease.isGood()).isTrue();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(lease.isGood()).isFalse();
    }

    @Test
    void theFirstCauseOfTheLossIsReported() throws IOException {
        lease.renew(() -> Optional.of(Lease.Loss.SUPERSEDED));
        lease.end(Lease.Loss.BROKEN);
        assertThat(lease.loss()).contains(Lease.Loss.SUPERSEDED);
        assertThat(lease.isGood()).isFalse();
        assertThat(work.isCancelled()).isTrue();
    }
}
