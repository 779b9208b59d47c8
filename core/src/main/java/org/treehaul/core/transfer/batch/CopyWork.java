// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;

import org.treehaul.core.copy.batch.BatchCopier;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.Lease;

/** Copies a batch. */
public final class CopyWork implements BatchWork {

    private final BatchCopier copier;
    private final BatchAttempt attempt;

    public CopyWork(FileSystemCalls calls, WorkSettings settings, Plan plan, Claims.Claimed claim, BatchCounts counts,
            Lease lease) {
        copier = BatchCopier.of(calls, settings.options(), settings.directory().id().text())
                .withUmask(settings.umask())
                .withLimiter(settings.limiter())
                .withFence(lease::mayWrite);
        attempt = new BatchAttempt(copier, plan, claim, counts, lease,
                new CopiedRoots(calls, settings, plan, claim.name()));
    }

    @Override
    public boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        return attempt.run(listener, progress, stop);
    }

    @Override
    public void sync() throws IOException {
        copier.sync();
    }

    @Override
    public void close() {
        copier.close();
    }
}
