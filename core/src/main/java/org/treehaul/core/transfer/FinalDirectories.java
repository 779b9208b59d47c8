// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.FinalDirectory;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedDirectory;

/** The directories of a plan as finishing takes them, one after another. Used by one thread. */
final class FinalDirectories implements Iterator<FinalDirectory> {

    private final PlanRecords<PlannedDirectory> planned;
    private @Nullable PlannedDirectory next;

    FinalDirectories(PlanRecords<PlannedDirectory> planned) {
        this.planned = planned;
    }

    @Override
    public boolean hasNext() {
        try {
            next = next == null ? planned.next() : next;
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
