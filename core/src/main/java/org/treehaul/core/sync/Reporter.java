// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.Optional;
import java.util.Set;

import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Reports changes with the targets of the links that they make. Safe for any number of threads. */
record Reporter(FileSystemCalls calls, CopyPair pair, boolean needsTargets, ChangeListener listener) {

    void report(Change.Action action, TreePath path, EntryKind kind, Set<DifferenceKind> differing) {
        boolean isMade = needsTargets && kind == EntryKind.SYMLINK;
        report(new Change(action, path, kind, differing, isMade ? target(path) : Optional.empty()));
    }

    void report(Change change) {
        listener.onChange(change);
    }

    // Only for display: the copy reads the link again. File access belongs to one thread, and this is any thread.
    private Optional<ByteString> target(TreePath path) {
        try (FileAccess access = FileAccess.open(calls); LongPath link = LongPath.of(access, pair.sourcePath(path))) {
            return Optional.of(access.linkTarget(link.base(), access.name(link.rest())));
        } catch (SystemCallException e) {
            // The copy reports it if the link is gone.
            return Optional.empty();
        }
    }
}
