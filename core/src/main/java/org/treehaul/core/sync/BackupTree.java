// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * Keeps files that a run replaces or removes, under the same paths in another directory: by hard links, or by copies on
 * another file system. Nothing at the destination changes, so that a kill leaves each file there, and perhaps also
 * here.
 */
final class BackupTree {

    private static final int NEW_DIRECTORY = 0777;

    private final FileSystemCalls calls;
    private final CopyPair pair;
    private final CopyOptions copy;
    private boolean isWhole = true;

    private BackupTree(FileSystemCalls calls, CopyPair pair, CopyOptions copy) {
        this.calls = calls;
        this.pair = pair;
        this.copy = copy;
    }

    /**
     * Makes the directory if it does not exist.
     *
     * @param directory the directory as the user gave it, with the destination above it if it was relative
     * @param place the place of the copy
     * @throws CopyRefusedException if it cannot be made
     */
    static BackupTree open(FileSystemCalls calls, ByteString directory, SyncPlace place, CopyOptions copy)
            throws CopyRefusedException {
        ByteString target = place.pair().target();
        ByteString below = place.isContent() ? directory : UserPath.join(directory, UserPath.baseName(target));
        try (FileAccess access = FileAccess.open(calls)) {
            make(access, directory);
            boolean isLinked = LongPath.status(access, directory, true)
                    .device() == LongPath.status(access, target, true).device();
            // A replaced or removed entry is kept, whether or not it meets the conditions.
            CopyOptionsBuilder options = copy.toBuilder().where(FileQuery.all());
            if (isLinked) {
                options.form(CopyOptions.Form.HARD_LINK).force(true);
            }
            return new BackupTree(calls, new CopyPair(Root.of(target), below), options.build());
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the directory of the backups '" + directory + "': " + e.getMessage());
        }
    }

    private static void make(FileAccess access, ByteString directory) throws SystemCallException {
        try (LongPath path = LongPath.of(access, directory)) {
            int made = access.calls().mkdirat(path.base(), access.name(path.rest()), NEW_DIRECTORY);
            if (made != -Errno.EEXIST) {
                FileAccess.check("mkdir", made);
            }
        }
    }

    /**
     * Keeps the existing entries among these that are not directories, unless others could not be kept.
     *
     * @param failures receives and counts the failures
     */
    void keep(List<Found> portion, Reporter.Failures failures, Cancellation cancellation) {
        SelectedPaths selection = SelectedPaths.strict();
        boolean isAny = false;
        for (Found one : portion) {
            if (!one.target().equals(Mark.NONE) && one.kind() != EntryKind.DIRECTORY) {
                selection.add(one.path());
                isAny = true;
            }
        }
        if (isAny && isWhole) {
            CopyPair part = new CopyPair(Root.of(pair.source().path(), selection), pair.target());
            CopyResult result = TreeCopier.of(calls, copy).copy(List.of(part), failures, new Progress(), cancellation);
            failures.add(result.failures());
            isWhole = result.isSuccess();
        }
    }

    /** Returns whether all were kept. */
    boolean isWhole() {
        return isWhole;
    }
}
