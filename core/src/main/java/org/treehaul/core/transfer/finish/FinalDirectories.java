// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.batch.FinalDirectory;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;

/** Iterates over the directories of a plan in the form that finishing needs. Used by one thread. */
public final class FinalDirectories implements Iterator<FinalDirectory> {

    private final PlanRecords<PlannedDirectory> planned;
    private final Predicate<PlannedDirectory> isTaken;
    private @Nullable PlannedDirectory next;

    public FinalDirectories(PlanRecords<PlannedDirectory> planned) {
        this(planned, directory -> true);
    }

    /** Iterates only over the directories that the predicate accepts. */
    FinalDirectories(PlanRecords<PlannedDirectory> planned, Predicate<PlannedDirectory> isTaken) {
        this.planned = planned;
        this.isTaken = isTaken;
    }

    @Override
    public boolean hasNext() {
        try {
            for (next = next == null ? planned.next() : next; next != null && !isTaken.test(next);) {
                next = planned.next();
            }
            return next != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public FinalDirectory next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException();
        }
        PlannedDirectory directory = next;
        next = null;
        return new FinalDirectory(directory.root(), directory.path(), directory.targetMode().orElse(-1),
                directory.isIncomplete());
    }
}
