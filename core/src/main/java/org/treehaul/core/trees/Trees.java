// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.trees;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.plain.PlainCopy;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.RemoveResult;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Works on whole trees in one call, with default options and the file system calls of this machine. Relative paths
 * start at the working directory. Each method may be called by any number of threads and uses many threads itself.
 */
public final class Trees {

    /** The number of failures that an exception lists. */
    public static final int KEPT_FAILURES = 1000;

    /** The number of differences that {@link #compare} returns at most. */
    public static final int KEPT_DIFFERENCES = 10_000;

    private Trees() {}

    /**
     * Copies a tree with all its metadata, as {@code cp -aT}. Afterwards every file with its final name is complete;
     * repeating the call completes a copy that failed.
     *
     * @param source the file or directory to copy
     * @param target the path of the copy itself, not of a directory that will contain it; that directory must exist
     * @throws CopyRefusedException if the copy would do harm; nothing was written
     * @throws TreeFailedException if an entry could not be copied; all others were
     */
    public static CopyResult copy(Path source, Path target) throws CopyRefusedException, TreeFailedException {
        CopyArguments arguments = CopyArguments.of(List.of(ByteString.of(source), ByteString.of(target)))
                .withNoTargetDirectory(true);
        Failures failures = new Failures();
        CopyResult result = PlainCopy
                .of(Linux.calls(), arguments, CopyOptions.archive().build(), failures, new Progress(),
                        new Cancellation())
                .copy();
        failures.check(result.isComplete());
        return result;
    }

    /**
     * Compares two trees with all their metadata and data.
     *
     * @return the first differences, at most {@value #KEPT_DIFFERENCES}, in no particular order; empty if the trees are
     *         equal
     * @throws TreeFailedException if something could not be compared, so that there may be further differences
     */
    public static List<Difference> compare(Path a, Path b) throws TreeFailedException {
        Failures failures = new Failures();
        List<Difference> differences = Collections.synchronizedList(new ArrayList<>());
        CompareResult result = TreeComparer.of(Linux.calls(), CompareOptions.defaults().withContent(true))
                .compare(Root.of(a), ByteString.of(b), difference -> {
                    if (differences.size() < KEPT_DIFFERENCES) {
                        differences.add(difference);
                    }
                }, failures, new Progress(), new Cancellation());
        failures.check(result.isComplete());
        return List.copyOf(differences).subList(0, Math.min(differences.size(), KEPT_DIFFERENCES));
    }

    /**
     * Removes a file or a tree, as {@code rm -r}. Symbolic links are removed, not followed.
     *
     * @throws TreeFailedException if an entry could not be removed, because it does not exist for example; all others
     *         below the path were
     */
    public static RemoveResult remove(Path path) throws TreeFailedException {
        Failures failures = new Failures();
        RemoveResult result = TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees())
                .remove(List.of(ByteString.of(path)), failures, new Progress(), new Cancellation());
        failures.check(result.isComplete());
        return result;
    }

    /**
     * Returns the entries of a tree with their status, the root included. A directory comes before its content; no
     * other order is guaranteed. Symbolic links are not followed. The walk runs ahead of the caller by at most some
     * hundred entries. The caller closes the stream, which ends its threads.
     *
     * <p>
     * A terminal operation throws {@link org.treehaul.core.event.EntryFailedException} if an entry cannot be read.
     */
    public static Stream<Entry> stream(Path root) {
        return EntryStream.of(TreeWalker.of(Linux.calls(), WalkOptions.defaults()), Root.of(root));
    }
}
