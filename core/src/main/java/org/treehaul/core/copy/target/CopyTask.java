// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.walk.WalkDirectory;

/**
 * An entry to copy, in a form that outlives the call that found it.
 *
 * @param sourceDirectory the directory that contains the source, or null for a root
 * @param rootIndex position of the pair
 * @param path path of the entry below its root
 * @param kind its kind
 * @param isFollowed whether a symbolic link is followed there
 * @param isStream whether its data are copied whatever its kind, as for roots in a copy that is not recursive
 * @param target the directory into which it is copied
 * @param targetName its name there
 * @param number number under which the entry was selected alone, else -1
 * @param isKindExpected whether the kind is the one at selection time and was not checked since
 * @param namesIn the directory that contains the source if no walk has led there, else null
 */
public record CopyTask(@Nullable WalkDirectory<TargetDirectory> sourceDirectory, int rootIndex, TreePath path,
        EntryKind kind, boolean isFollowed, boolean isStream, TargetDirectory target, ByteString targetName, int number,
        boolean isKindExpected, @Nullable Directory namesIn) {

    /** Returns the source directory that contains the names beside this one, or null for a root. */
    @Nullable public Directory besides() {
        return sourceDirectory == null ? namesIn : sourceDirectory.handle();
    }

    /** Returns the same task with the kind that was actually found. */
    public CopyTask as(EntryKind found) {
        return new CopyTask(sourceDirectory, rootIndex, path, found, isFollowed, isStream, target, targetName, number,
                false, namesIn);
    }
}
