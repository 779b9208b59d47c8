// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;

/** Reads all data of a tree in a stage, and compares each stripe with its checksum. Changes nothing. */
public final class StageVerify {

    private final Stage stage;
    private final int threads;
    private final StripeCopy stripes;

    /**
     * Creates the check.
     *
     * @param threads the number of threads, 1 or more
     */
    public StageVerify(FileSystemCalls calls, Stage stage, int threads) {
        this.stage = stage;
        this.threads = threads;
        this.stripes = new StripeCopy(calls, threads);
    }

    /**
     * Reads the files at and below a path.
     *
     * @return the number of bytes without a checksum, because parts of their stripes were written one by one, or
     *         because they are holes
     * @throws StageException ENOENT if there is no such entry
     */
    public long run(ByteString path, StageReports reports) throws StageException {
        ByteString from = StagedPath.of(path);
        if (from.length() > 0 && !stage.catalogue().isAnythingAt(from)) {
            throw new StageException(stage.catalogue().display(from), "verify", Errno.ENOENT);
        }
        LongAdder unknown = new LongAdder();
        FileLoop.each(stage, stage.catalogue().below(from, false), threads, reports,
                file -> read(file, from, reports, unknown));
        return unknown.sum();
    }

    private void read(StagedFile entry, ByteString from, StageReports reports, LongAdder unknown) {
        TreePath path = StageOut.below(entry.path(), from);
        try (ParallelFile file = stage.open(entry, false)) {
            if (file.layout().copies() == 1) {
                StripeRead reading = new StripeRead(stage, file.staged());
                stripes.each(entry.size(), entry.stripe(), at -> !reports.isCancelled(), (tools, at) -> {
                    long checked = reading.read(at, entry.size(), tools.buffer(),
                            (bytes, offset, isAgain) -> reports.progress().bytesDone(bytes.byteSize()), failure -> {});
                    reports.progress().bytesVerified(checked);
                    unknown.add(Math.min(entry.stripe(), entry.size() - at) - checked);
                });
            } else {
                new CopyScan(stage, stripes, reports).run(file, unknown)
                        .bad()
                        .values()
                        .forEach(problem -> reports.failed(path, problem));
            }
            reports.progress().entryDone(EntryKind.REGULAR);
        } catch (IOException e) {
            reports.failed(path, e);
        }
    }
}
