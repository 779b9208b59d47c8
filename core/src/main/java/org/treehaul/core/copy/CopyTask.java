// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.walk.WalkDirectory;

/**
 * One entry to copy, in a form that outlives the call that found it.
 *
 * @param sourceDirectory the directory that the source stands in, or null for a root
 * @param rootIndex the position of the pair
 * @param path where the entry stands below its root
 * @param kind its kind
 * @param isFollowed whether a symbolic link is followed there
 * @param isStream whether its data are copied whatever kind it is: what a user names is, where nothing is recursive
 * @param target the directory that the copy goes into
 * @param targetName the name that it gets there
 * @param number under which the entry was selected alone, else -1
 * @param isKindExpected whether the kind is what it was when it was selected, and nobody has looked since
 * @param namesIn the directory that the source stands in where no walk has led there, else null
 */
record CopyTask(@Nullable WalkDirectory<TargetDirectory> sourceDirectory, int rootIndex, TreePath path, EntryKind kind,
        boolean isFollowed, boolean isStream, TargetDirectory target, ByteString targetName, int number,
        boolean isKindExpected, @Nullable Directory namesIn) {

    /** Returns the directory of the source in which other names stand beside this one, or null for a root. */
    @Nullable Directory besides() {
        return sourceDirectory == null ? namesIn : sourceDirectory.handle();
    }

    /** Returns the same for what it turned out to be. */
    CopyTask as(EntryKind found) {
        return new CopyTask(sourceDirectory, rootIndex, path, found, isFollowed, isStream, target, targetName, number,
                false, namesIn);
    }
}
