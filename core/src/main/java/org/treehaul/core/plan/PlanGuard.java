// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.time.Duration;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.format.PlanException;

/** Checks whether this process still owns the plan, and cancels planning if it does not. */
final class PlanGuard {

    // A process that was suspended checks again before it creates a file; others need not check for each file.
    private static final long TRUSTED_NANOS = Duration.ofSeconds(1).toNanos();

    private final PlanClaim claim;
    private final Cancellation cancellation;
    private volatile boolean isLost;
    private volatile long looked;

    PlanGuard(PlanClaim claim, Cancellation cancellation) {
        this.claim = claim;
        this.cancellation = cancellation;
        this.looked = System.nanoTime() - TRUSTED_NANOS;
    }

    static PlanGuard none() {
        return new PlanGuard(PlanClaim.always(), new Cancellation());
    }

    /** Checks ownership; returns false once another process owns the plan. */
    boolean look() throws IOException {
        long now = System.nanoTime();
        if (!isLost && claim.isHeld()) {
            looked = now;
            return true;
        }
        isLost = true;
        cancellation.cancel();
        return false;
    }

    /** Returns whether this process is known to own the plan; false if the check fails. */
    boolean isOurs() {
        try {
            return look();
        } catch (IOException e) {
            return false;
        }
    }

    /** Checks ownership unless it was checked a moment ago; throws if another process owns the plan. */
    void check() throws IOException {
        if (isLost || System.nanoTime() - looked >= TRUSTED_NANOS) {
            require();
        }
    }

    /** Checks ownership; throws if another process owns the plan. */
    void require() throws IOException {
        if (!look()) {
            throw new PlanException("another command has ended or restarted this planning");
        }
    }
}
