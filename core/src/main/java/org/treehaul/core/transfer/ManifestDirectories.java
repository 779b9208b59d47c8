// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.ManifestEntry;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanException;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedDirectory;

/** The directories that entries of the batches stand in, of a plan that was never sealed. Some may come twice. */
final class ManifestDirectories implements PlanRecords<PlannedDirectory> {

    private final Plan plan;
    private int batch;
    private @Nullable PlanRecords<ManifestEntry> manifest;
    private int root = -1;
    private TreePath last = TreePath.root();

    ManifestDirectories(Plan plan) {
        this.plan = plan;
    }

    @Override
    public @Nullable PlannedDirectory next() throws PlanException {
        while (true) {
            if (manifest == null) {
                if (batch == plan.batchCount()) {
                    return null;
                }
                manifest = plan.manifest(batch++);
            }
            ManifestEntry entry = manifest.next();
            if (entry == null) {
                manifest.close();
                manifest = null;
                continue;
            }
            TreePath parent = entry.path().isRoot() ? entry.path() : entry.path().parent();
            if (entry.root() != root || !parent.equals(last)) {
                root = entry.root();
                last = parent;
                return new PlannedDirectory(root, parent, OptionalInt.empty(), false);
            }
        }
    }

    @Override
    public void close() {
        if (manifest != null) {
            manifest.close();
        }
    }
}
