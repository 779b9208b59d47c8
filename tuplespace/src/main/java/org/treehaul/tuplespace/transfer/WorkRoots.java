// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.tuplespace.files.AbsolutePath;

/**
 * The sources and targets of a transfer by the texts with which failures name them. Paths are in the form of an index,
 * so that failures can be joined with it. Not thread-safe.
 */
final class WorkRoots {

    private final Map<ByteString, ByteString> absolute = new HashMap<>();
    // By the absolute path of the target.
    private final Map<ByteString, ByteString> sources = new HashMap<>();

    private WorkRoots() {}

    /** Returns the roots of a planned transfer. */
    static WorkRoots of(List<PlannedRoot> planned) {
        WorkRoots roots = new WorkRoots();
        for (PlannedRoot root : planned) {
            ByteString source = roots.absolute(root.source());
            if (root.target().length() > 0) {
                roots.addTarget(root.target(), source);
            }
        }
        return roots;
    }

    /**
     * Returns the roots of a command.
     *
     * @param sources the sources as the user gave them
     * @param targets the copies of the sources in the same order, or nothing if the operation has no targets
     */
    static WorkRoots of(List<ByteString> sources, List<ByteString> targets) {
        WorkRoots roots = new WorkRoots();
        for (int i = 0; i < sources.size(); i++) {
            ByteString source = roots.absolute(sources.get(i));
            if (!targets.isEmpty()) {
                roots.addTarget(targets.get(i), source);
            }
        }
        return roots;
    }

    // The first of several sources that are merged counts.
    private void addTarget(ByteString target, ByteString source) {
        sources.putIfAbsent(absolute(target), source);
    }

    /**
     * Returns the absolute path of a root in the form of an index. A path that does not exist any more stays as it is
     * if only the file system knows where it led.
     */
    ByteString absolute(ByteString root) {
        return absolute.computeIfAbsent(root, WorkRoots::clean);
    }

    private static ByteString clean(ByteString path) {
        if (path.length() == 0) {
            return path;
        }
        try {
            return AbsolutePath.of(Linux.calls(), path);
        } catch (SystemCallException e) {
            return path;
        }
    }

    /**
     * Returns the absolute path of a source. For a target, returns that of its source, because an index of the source
     * does not contain the paths of the target.
     */
    ByteString source(ByteString root) {
        ByteString path = absolute(root);
        return sources.getOrDefault(path, path);
    }
}
