// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.walk.DividedDirectory;

/** The second tree's side of a directory in the comparison. */
final class PairedDirectory implements DividedDirectory {

    private final Directory directory;
    private final @Nullable NameTable names;
    private volatile boolean hasUnlisted;

    PairedDirectory(Directory directory, @Nullable NameTable names) {
        this.directory = directory;
        this.names = names;
    }

    /** Returns the handle that opens it. */
    Directory directory() {
        return directory;
    }

    /** Returns the names in it; null if only a selection of paths is compared. */
    @Nullable NameTable names() {
        return names;
    }

    /** Notes that a name was found that the complete listing does not have. */
    void addUnlisted() {
        hasUnlisted = true;
    }

    /**
     * Returns whether such a name was found. It may be another spelling of a listed name, as where upper and lower case
     * are the same.
     */
    boolean hasUnlisted() {
        return hasUnlisted;
    }

    @Override
    public void givenAway(byte[] records, int start, int length) {
        if (names != null) {
            names.mark(records, start, length);
        }
    }
}
