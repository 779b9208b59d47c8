// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.threads.ParallelLoop;

/**
 * Removes the entries of sources whose copies are complete and durable, with several threads: files, then files with
 * several names, then directories, the deepest first.
 */
final class SourceRemoval {

    // Neighbours in the list are mostly in the same directory, which two threads would only lock for each other.
    private static final int MOST_AT_ONCE = 1024;
    private static final int FEW = 32;
    // Each portion costs a few syncs, and up to 2 MB of memory.
    private static final int NAMES_AT_ONCE = 10_000;

    private static final Comparator<CopiedEntry> BY_DIRECTORY = Comparator.comparingInt(CopiedEntry::root)
            .thenComparing(CopiedEntry::path);

    private final RemovalContext context;
    private final ParallelLoop loop;

    /**
     * Creates a removal.
     *
     * @param threads the number of threads, 0 for an automatic choice
     */
    SourceRemoval(RemovalContext context, int threads) {
        this.context = context;
        this.loop = new ParallelLoop(context.calls(), threads);
    }

    /**
     * Removes the entries; returns early if the move is cancelled.
     *
     * @param isWhole whether all names of a file that are in the sources are in the list
     * @param begun records the files of which some names may be removed already
     * @throws IOException if the list cannot be read; the rest stays
     */
    void run(CopiedEntries entries, Predicate<List<CopiedEntry>> isWhole, BegunGroups begun) throws IOException {
        try (CopiedEntries.Reader<CopiedEntry> files = entries.files()) {
            long each = entries.fileCount() / (4L * loop.threads());
            removeEach(files, Math.clamp(each, FEW, MOST_AT_ONCE));
        }
        try (CopiedEntries.Reader<List<CopiedEntry>> groups = entries.groups()) {
            removeGroups(groups, isWhole, begun);
        }
        try (CopiedEntries.Reader<CopiedEntry> directories = entries.directories()) {
            removeDirectories(directories);
        }
    }

    private void removeEach(CopiedEntries.Reader<CopiedEntry> files, int number) throws IOException {
        each(() -> {
            List<CopiedEntry> some = some(files, number);
            if (some != null) {
                some.sort(BY_DIRECTORY);
            }
            return some;
        }, NameRemover::remove);
    }

    private static <T> @Nullable List<T> some(ParallelLoop.Source<T> source, int number) throws IOException {
        List<T> some = new ArrayList<>();
        while (some.size() < number) {
            T next = source.next();
            if (next == null) {
                break;
            }
            some.add(next);
        }
        return some.isEmpty() ? null : some;
    }

    private <T> void each(ParallelLoop.Source<List<T>> source, BiConsumer<NameRemover, T> work) throws IOException {
        loop.each(source, () -> new Worker<>(new NameRemover(context), work));
    }

    /** Removes lists of items on one thread. */
    private final class Worker<T> implements ParallelLoop.Worker<List<T>> {
        private final NameRemover remover;
        private final BiConsumer<NameRemover, T> work;

        Worker(NameRemover remover, BiConsumer<NameRemover, T> work) {
            this.remover = remover;
            this.work = work;
        }

        @Override
        public void process(List<T> some) {
            for (T one : some) {
                if (context.cancellation().isCancelled()) {
                    return;
                }
                work.accept(remover, one);
            }
        }

        @Override
        public void close() {
            remover.close();
        }
    }

    // A file of which only some names are removed would be divided by the next move; the record prevents that. It has
    // one portion, which is complete before the next one replaces it.
    private void removeGroups(CopiedEntries.Reader<List<CopiedEntry>> groups, Predicate<List<CopiedEntry>> isWhole,
            BegunGroups begun) throws IOException {
        for (List<List<CopiedEntry>> portion = portion(groups); !portion.isEmpty()
                && !context.cancellation().isCancelled(); portion = portion(groups)) {
            begun.record(portion.stream().filter(isWhole).toList());
            Iterator<List<CopiedEntry>> all = portion.iterator();
            each(() -> some(() -> all.hasNext() ? all.next() : null, FEW), (remover, group) -> {
                if (!isWhole.test(group)) {
                    remover.keep(group);
                } else if (!remover.remove(group)) {
                    begun.leave();
                }
            });
        }
        begun.end();
    }

    private static List<List<CopiedEntry>> portion(CopiedEntries.Reader<List<CopiedEntry>> groups) throws IOException {
        List<List<CopiedEntry>> portion = new ArrayList<>();
        int names = 0;
        while (names < NAMES_AT_ONCE) {
            List<CopiedEntry> group = groups.next();
            if (group == null) {
                break;
            }
            portion.add(group);
            names += group.size();
        }
        return portion;
    }

    private void removeDirectories(CopiedEntries.Reader<CopiedEntry> directories) throws IOException {
        CopiedEntry ahead = directories.next();
        while (ahead != null && !context.cancellation().isCancelled()) {
            Level level = new Level(directories, ahead);
            each(() -> some(level, FEW), NameRemover::removeDirectory);
            ahead = level.ahead;
        }
    }

    /** The directories at one depth, none of which contains another one. */
    private static final class Level implements ParallelLoop.Source<CopiedEntry> {
        private final CopiedEntries.Reader<CopiedEntry> directories;
        private final int depth;
        private @Nullable CopiedEntry ahead;

        Level(CopiedEntries.Reader<CopiedEntry> directories, CopiedEntry first) {
            this.directories = directories;
            this.depth = first.path().depth();
            this.ahead = first;
        }

        @Override
        public @Nullable CopiedEntry next() throws IOException {
            CopiedEntry next = ahead;
            if (next == null || next.path().depth() != depth) {
                return null;
            }
            ahead = directories.next();
            return next;
        }
    }
}
