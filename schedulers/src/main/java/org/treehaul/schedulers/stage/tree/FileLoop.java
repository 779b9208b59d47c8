// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/** Does work on many files with several threads. */
final class FileLoop {

    private FileLoop() {}

    /** Does work on each regular file among entries, until it is cancelled; closes the entries. */
    static void each(Stage stage, Stream<StagedFile> entries, int threads, StageReports reports,
            Consumer<StagedFile> work) throws StageException {
        try (Stream<StagedFile> all = entries) {
            Iterator<StagedFile> files = all.filter(entry -> entry.kind() == EntryKind.REGULAR).iterator();
            FileLoop.<StagedFile>each(stage, () -> files.hasNext() && !reports.isCancelled() ? files.next() : null,
                    threads, work);
        }
    }

    /** Does work on each item of a source, which is called by one thread at a time. */
    static <T> void each(Stage stage, ParallelLoop.Source<T> items, int threads, Consumer<T> work)
            throws StageException {
        try {
            ParallelLoop.<T>each(items, threads, () -> new Worker<>(work));
        } catch (IOException e) {
            throw new StageException(stage.catalogue().display(ByteString.empty()), e.toString(), 0, e);
        }
    }

    private record Worker<T>(Consumer<T> work) implements ParallelLoop.Worker<T> {

        @Override
        public void process(T item) {
            work.accept(item);
        }

        @Override
        public void close() {
            // Each item has its own tools.
        }
    }
}
