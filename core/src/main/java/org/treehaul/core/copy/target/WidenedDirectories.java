// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * The existing directories whose owners have more permissions until everything in them is copied. Safe for any number
 * of threads.
 */
public final class WidenedDirectories {

    private final Set<TargetDirectory> open = ConcurrentHashMap.newKeySet();

    /** Adds a directory if its owner was given permissions. */
    public void entered(TargetDirectory directory) {
        if (directory.isWidened() && !directory.isNew()) {
            open.add(directory);
        }
    }

    /** Removes a directory that has its final mode. */
    public void left(TargetDirectory directory) {
        if (directory.isWidened()) {
            open.remove(directory);
        }
    }

    /**
     * Gives the directories that a cancelled copy did not complete the modes that they had, the deepest first.
     *
     * @param notices receives what could not be changed
     */
    public void restore(FileAccess access, Consumer<String> notices) {
        List<TargetDirectory> deepestFirst = open.stream()
                .sorted(Comparator.comparingInt((TargetDirectory one) -> one.handle().path().depth()).reversed())
                .toList();
        for (TargetDirectory one : deepestFirst) {
            int mode = one.status().permissions();
            try {
                int descriptor = one.handle().acquire(access);
                try {
                    FileAccess.check("fchmod", access.calls().fchmod(descriptor, mode));
                } finally {
                    one.handle().release();
                }
            } catch (SystemCallException e) {
                notices.accept(
                        String.format("'%s' had mode %04o before the copy: %s", one.handle(), mode, e.getMessage()));
            }
        }
        open.clear();
    }

    /** Returns whether there is any. */
    public boolean isAny() {
        return !open.isEmpty();
    }
}
