// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;

/** The parent directories of the entries of all batches, for a plan that was never sealed. Some may occur twice. */
public final class ManifestDirectories implements PlanRecords<PlannedDirectory> {

    private final Plan plan;
    private int batch;
    private @Nullable PlanRecords<ManifestEntry> manifest;
    private int root = -1;
    private TreePath last = TreePath.root();

    public ManifestDirectories(Plan plan) {
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
