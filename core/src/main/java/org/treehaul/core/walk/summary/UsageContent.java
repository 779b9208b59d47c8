// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/**
 * The content of a directory that is not done yet. The thread that lists the directory adds most of it, and needs no
 * lock; other threads add to sums of their own. The sums may be read only when the directory is done.
 */
final class UsageContent {

    private final @Nullable UsageHandler owner;
    private final UsageSums files = new UsageSums();
    private final UsageSums subdirectories = new UsageSums();

    // Guarded by this object.
    private @Nullable UsageContent ofOthers;

    /**
     * Creates empty content.
     *
     * @param owner the handler of the thread that lists the directory; null if there is none
     */
    UsageContent(@Nullable UsageHandler owner) {
        this.owner = owner;
    }

    /** Adds an entry; a subdirectory itself is added here, because one that cannot be opened counts as well. */
    void add(UsageHandler by, EntryKind kind, long size, long blocks) {
        if (by == owner) {
            addHere(kind, size, blocks);
            return;
        }
        synchronized (this) {
            others().addHere(kind, size, blocks);
        }
    }

    /** Adds several regular files. */
    void addFiles(UsageHandler by, int number, long size, long blocks) {
        if (by == owner) {
            files.addFiles(number, size, blocks);
            return;
        }
        synchronized (this) {
            others().files.addFiles(number, size, blocks);
        }
    }

    /** Adds what a subdirectory contains that is done. */
    void addContentOf(UsageHandler by, UsageContent subdirectory) {
        if (by == owner) {
            addHere(subdirectory);
            return;
        }
        synchronized (this) {
            others().addHere(subdirectory);
        }
    }

    private UsageContent others() {
        UsageContent known = ofOthers;
        if (known == null) {
            known = new UsageContent(null);
            ofOthers = known;
        }
        return known;
    }

    private void addHere(EntryKind kind, long size, long blocks) {
        (kind == EntryKind.DIRECTORY ? subdirectories : files).add(kind, size, blocks);
    }

    private void addHere(UsageContent subdirectory) {
        subdirectory.addTo(subdirectories, false);
    }

    // The own sums of a directory that is done do not change any more.
    private void addTo(UsageSums sum, boolean separate) {
        sum.add(files);
        if (!separate) {
            sum.add(subdirectories);
        }
        UsageContent rest = rest();
        if (rest != null) {
            rest.addTo(sum, separate);
        }
    }

    private synchronized @Nullable UsageContent rest() {
        return ofOthers;
    }

    /**
     * Returns the space of a directory that is done.
     *
     * @param separate whether subdirectories are left out
     */
    Usage with(FileStatus itself, boolean separate) {
        UsageSums sum = new UsageSums();
        sum.add(itself);
        addTo(sum, separate);
        return sum.toUsage();
    }
}
