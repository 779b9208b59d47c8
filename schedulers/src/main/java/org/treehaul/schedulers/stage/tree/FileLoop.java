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

/** Does work on the regular files among entries, with several threads. */
final class FileLoop {

    private FileLoop() {}

    /** Does work on each file, until it is cancelled; closes the entries. */
    static void each(Stage stage, Stream<StagedFile> entries, int threads, StageReports reports,
            Consumer<StagedFile> work) throws StageException {
        try (Stream<StagedFile> all = entries) {
            Iterator<StagedFile> files = all.filter(entry -> entry.kind() == EntryKind.REGULAR).iterator();
            ParallelLoop.<StagedFile>each(() -> files.hasNext() && !reports.isCancelled() ? files.next() : null,
                    threads, () -> new Worker(work));
        } catch (IOException e) {
            throw new StageException(stage.catalogue().display(ByteString.empty()), e.toString(), 0, e);
        }
    }

    private record Worker(Consumer<StagedFile> work) implements ParallelLoop.Worker<StagedFile> {

        @Override
        public void process(StagedFile file) {
            work.accept(file);
        }

        @Override
        public void close() {
            // Each file has its own tools.
        }
    }
}
