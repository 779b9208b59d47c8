// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StagedFile;

/** Records in the catalogue which entries have a copy outside the stage, many in one step. Thread-safe. */
final class SavedEntries implements AutoCloseable {

    // As many as a transaction of the catalogue commits.
    private static final int AT_ONCE = 256;

    private final Catalogue catalogue;
    private final List<StagedFile> some = new ArrayList<>();

    SavedEntries(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Adds an entry as the catalogue had it when it was read. */
    synchronized void add(StagedFile entry) {
        if (!entry.isSaved()) {
            some.add(entry);
            if (some.size() == AT_ONCE) {
                close();
            }
        }
    }

    /** Records those that were added. */
    @Override
    public synchronized void close() {
        catalogue.saved(some);
        some.clear();
    }
}
