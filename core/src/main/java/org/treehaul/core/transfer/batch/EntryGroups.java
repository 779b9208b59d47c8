// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;

/**
 * The entries of a batch; those of a group come together, to be processed completely or not at all. Used by one thread.
 */
public final class EntryGroups implements Closeable {

    private final PlanRecords<ManifestEntry> manifest;
    private final Predicate<ManifestEntry> isGrouped;
    private @Nullable ManifestEntry next;

    private EntryGroups(PlanRecords<ManifestEntry> manifest, Predicate<ManifestEntry> isGrouped) throws IOException {
        this.manifest = manifest;
        this.isGrouped = isGrouped;
        this.next = manifest.next();
    }

    /** Opens a batch; entries that the predicate rejects form groups of their own. */
    public static EntryGroups open(Plan plan, int batch, Predicate<ManifestEntry> isGrouped) throws IOException {
        PlanRecords<ManifestEntry> manifest = plan.manifest(batch);
        try {
            return new EntryGroups(manifest, isGrouped);
        } catch (IOException e) {
            manifest.close();
            throw e;
        }
    }

    public boolean hasNext() {
        return next != null;
    }

    /** Returns the next entry with the others of its group; empty after the last. */
    public List<ManifestEntry> next() throws IOException {
        List<ManifestEntry> group = new ArrayList<>();
        for (ManifestEntry entry = next; entry != null; entry = isWithFirst(group, next) ? next : null) {
            group.add(entry);
            next = manifest.next();
        }
        return group;
    }

    private boolean isWithFirst(List<ManifestEntry> group, @Nullable ManifestEntry entry) {
        ManifestEntry first = group.getFirst();
        return entry != null && entry.group() != 0 && entry.group() == first.group() && isGrouped.test(first)
                && isGrouped.test(entry);
    }

    @Override
    public void close() throws IOException {
        manifest.close();
    }
}
