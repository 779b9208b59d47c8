// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * Gives entries their paths, those of several threads in one transaction: a transaction takes as long as some dozens of
 * small files. While one thread commits, others gather. Thread-safe.
 */
final class Commits {

    private final Stage stage;
    // As many at most as threads.
    private List<Waiting> waiting = new ArrayList<>();
    private boolean isCommitting;

    /** An entry of a thread that waits for its path. */
    private static final class Waiting {
        private final StagedFile entry;
        private boolean isDone;
        private boolean isCommitted;
        private @Nullable Exception failure;

        Waiting(StagedFile entry) {
            this.entry = entry;
        }
    }

    Commits(Stage stage) {
        this.stage = stage;
    }

    /** Gives a complete entry its path, in place of the entry that had it, whose segments are removed. */
    void commit(StagedFile entry) throws StageException {
        Waiting own = new Waiting(entry);
        List<Waiting> together = gather(own);
        if (!together.isEmpty()) {
            try {
                commit(together);
            } finally {
                end(together);
            }
        }
        if (own.isCommitted) {
            // Also if the segments of the entry that was replaced could not be removed.
            return;
        }
        switch (own.failure) {
            case null -> throw new IllegalStateException("the thread that committed " + entry.path() + " has failed");
            case StageException e -> throw e;
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(own.failure);
        }
    }

    // Returns the entries that this thread commits; none if another thread has committed its own.
    private synchronized List<Waiting> gather(Waiting own) {
        waiting.add(own);
        boolean isInterrupted = false;
        while (isCommitting && !own.isDone) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (own.isDone) {
            return List.of();
        }
        isCommitting = true;
        List<Waiting> together = waiting;
        waiting = new ArrayList<>();
        return together;
    }

    private synchronized void end(List<Waiting> together) {
        together.forEach(one -> one.isDone = true);
        isCommitting = false;
        notifyAll();
    }

    private void commit(List<Waiting> together) {
        Set<ByteString> paths = new HashSet<>();
        together.forEach(one -> paths.add(one.entry.path()));
        if (together.size() > 1 && paths.size() == together.size()) {
            try {
                give(together);
                return;
            } catch (StageException e) {
                // One of them is refused; the others get their paths.
            } catch (RuntimeException e) {
                together.forEach(one -> one.failure = e);
                return;
            }
        }
        for (Waiting one : together) {
            try {
                give(List.of(one));
            } catch (StageException | RuntimeException e) {
                one.failure = e;
            }
        }
    }

    private void give(List<Waiting> together) throws StageException {
        List<StagedFile> replaced = stage.catalogue().commit(together.stream().map(one -> one.entry).toList());
        together.forEach(one -> one.isCommitted = true);
        replaced.forEach(stage::removeReplaced);
    }
}
