// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.SpaceException;

class AloneLeaseTest {

    @Test
    void itIsRenewedFromTheStartOnAlsoAfterAFailure() throws InterruptedException {
        Semaphore renewals = new Semaphore(0);
        try (AloneLease lease = new AloneLease(Duration.ofMillis(1), () -> {
            renewals.release();
            throw new SpaceException(SpaceException.Reason.BUSY, "another process uses the space");
        })) {
            assertThat(renewals.availablePermits()).isZero();
            lease.start();
            lease.start();
            renewals.acquire(3);
        }
    }

    @Test
    void itIsNotRenewedAfterItWasClosedBeforeTheStart() {
        Semaphore renewals = new Semaphore(0);
        AloneLease lease = new AloneLease(Duration.ZERO, renewals::release);
        lease.close();
        lease.start();
        assertThat(renewals.availablePermits()).isZero();
    }
}
