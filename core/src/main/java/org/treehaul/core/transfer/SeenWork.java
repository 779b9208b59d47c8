// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.BatchProgress;

/**
 * The parts of a transfer that no longer change once they were read: its plan if that is sealed, and the progress of
 * attempts that have ended. Used by one thread.
 */
final class SeenWork {

    private final TransferDirectory transfer;
    private final Map<AttemptName, BatchProgress> ended = new HashMap<>();
    private @Nullable Plan sealed;

    SeenWork(TransferDirectory transfer) {
        this.transfer = transfer;
    }

    /** Returns the plan as far as it exists now; empty if there is none. */
    Optional<Plan> plan() throws IOException {
        if (sealed != null) {
            return Optional.of(sealed);
        }
        if (!Plan.exists(transfer.plan())) {
            return Optional.empty();
        }
        Plan plan = Plan.open(transfer.plan());
        sealed = plan.isSealed() ? plan : null;
        return Optional.of(plan);
    }

    /** Returns the progress of an attempt that has ended, or null if it was not read after its end. */
    @Nullable BatchProgress ended(AttemptName name) {
        return ended.get(name);
    }

    /** Keeps the progress of an attempt if it has ended. */
    void read(AttemptName name, BatchProgress progress) {
        // An unsealed plan may be replaced by another, whose attempts have the same names.
        if (sealed != null && progress.state() != BatchProgress.State.RUNNING) {
            ended.put(name, progress);
        }
    }
}
