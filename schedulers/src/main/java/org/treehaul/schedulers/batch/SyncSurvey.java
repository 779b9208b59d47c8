// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.TreeSync;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;

/**
 * The differences between a source and its copy that jobs or ranks will copy, in a file without a name. Used by one
 * thread.
 */
@Internal
public final class SyncSurvey implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 * 1024;

    // Replaced by the place in the directory of the transfer.
    private static final ByteString NO_PLACE_YET = ByteString.of("list");

    private final SyncRequest request;
    private final FileChannel list;
    private final TreeSync.Survey result;

    private SyncSurvey(SyncRequest request, FileChannel list, TreeSync.Survey result) {
        this.request = request;
        this.list = list;
        this.result = result;
    }

    /**
     * Compares the source with its copy in this process, and makes the renames that the options detect.
     *
     * @param stateDirectory the state directory, which remembers the file systems of sources
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries
     * @throws CopyRefusedException if the sync would do harm
     */
    public static SyncSurvey of(SyncRequest request, Path stateDirectory, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException, CopyRefusedException {
        Path file = PrivateFiles.makeTemporaryFile(ScratchDirectory.parent(), "treehaul-sync-", ".tmp");
        FileChannel list = PrivateFiles.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        TreeSync.Survey result = null;
        try {
            // Without a name, nothing is left after a kill.
            Files.delete(file);
            OutputStream out = new BufferedOutputStream(Channels.newOutputStream(list), BUFFER_BYTES);
            result = TreeSync.of(Linux.calls(), request.options(), ScratchDirectory.parent())
                    .remembering(stateDirectory.resolve("sync"))
                    .survey(request.source(), request.destination(), out, listener, progress, cancellation);
            if (result.listed() == 0) {
                // The directory alone: workers have nothing to do, and finishing does the rest.
                out.write(new byte[]{'.', '/', 0});
            }
            out.flush();
            return new SyncSurvey(request, list, result);
        } finally {
            if (result == null) {
                list.close();
            }
        }
    }

    /** Returns whether the comparison ran to its end. */
    public boolean isComplete() {
        return result.isComplete();
    }

    /** Returns whether the source is a directory; transfers of this kind have no other source. */
    public boolean isOfDirectory() {
        return result.isOfDirectory();
    }

    /** Returns the number of entries that were compared. */
    public long compared() {
        return result.compared();
    }

    /** Returns the number of entries to copy; a new directory counts once. */
    public long toCopy() {
        return result.listed();
    }

    /** Returns the number of files that were renamed in the copy. */
    public long renamed() {
        return result.renamed();
    }

    /** Creates the transfer, not planned yet. */
    public TransferDirectory create(Transfers transfers, JobOptions jobs, String title) throws IOException {
        return CopyTransfers.create(transfers, operation(), copy(), jobs, title, Optional.of(paths()));
    }

    private Operation.Sync operation() {
        SyncOptions options = result.options();
        return new Operation.Sync(request.absolute(request.source()), request.absolute(request.destination()),
                options.backup().map(path -> options.withBackup(request.absolute(path))).orElse(options));
    }

    private CopyRequest copy() {
        return new CopyRequest(
                CopyArguments.of(List.of(result.pair().source().path(), result.pair().target()))
                        .withNoTargetDirectory(true),
                Optional.of(new CopyRequest.ListFile(NO_PLACE_YET, true, true)), result.options().copy(),
                request.batching(), request.workers(),
                // The free space is not checked, because files replace others.
                false, Optional.empty(), request.directory(), request.umask(), false);
    }

    private InputStream paths() throws IOException {
        list.position(0);
        return new BufferedInputStream(Channels.newInputStream(list), BUFFER_BYTES);
    }

    @Override
    public void close() throws IOException {
        list.close();
    }
}
