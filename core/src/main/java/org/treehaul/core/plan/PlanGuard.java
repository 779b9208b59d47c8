// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.time.Duration;

import org.treehaul.core.walk.Cancellation;

/** Looks whether a plan is still its planner's, and ends planning where it is not. */
final class PlanGuard {

    // A process that stood still for long looks before it makes a file; one that did not need not look for each.
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

    /** Looks, and returns false once the plan is another's. */
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

    /** Returns whether the plan is known to be ours; not where a look fails. */
    boolean isOurs() {
        try {
            return look();
        } catch (IOException e) {
            return false;
        }
    }

    /** Looks unless that was done a moment ago, and fails where the plan is another's. */
    void check() throws IOException {
        if (isLost || System.nanoTime() - looked >= TRUSTED_NANOS) {
            require();
        }
    }

    /** Looks, and fails where the plan is another's. */
    void require() throws IOException {
        if (!look()) {
            throw new PlanException("another command has ended this planning, or begun it anew");
        }
    }
}
