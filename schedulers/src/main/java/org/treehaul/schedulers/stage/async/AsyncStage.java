// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import java.io.IOException;

import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.ThreadBackend;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * Asynchronous files over a stage. A new file has its path from its opening on, and the mode that the umask of this
 * process leaves. Its data are visible to other clients when it is closed. A file that is truncated by its opening gets
 * another generation: clients that have it open get ESTALE. The servers of a layout take turns as the first of a new
 * file, so that small files are on all of them. Files are never direct. Failures have as their cause the
 * {@link org.treehaul.schedulers.stage.StageException} that names the server.
 * <p>
 * {@link AsyncFiles#close()} closes the files that are open, and leaves the stage open, which must not be closed
 * before.
 */
public final class AsyncStage {

    private AsyncStage() {}

    /**
     * Returns asynchronous files whose operations are carried out by threads of this process, each of which waits for
     * the servers ({@code orangefs_file} of the paper).
     *
     * @param layout of new files
     * @param settings the number of threads, and the depth; their means do not matter
     */
    public static AsyncFiles byThreads(Stage stage, StripeLayout layout, AsyncSettings settings) {
        int threads = threads(settings);
        return AsyncFiles.over(threads(stage, layout, settings), settings.depth(),
                threads + (threads == 1 ? " thread" : " threads") + " over a stage");
    }

    /**
     * Returns asynchronous files whose reads and writes are sent to the servers at once, and completed by the threads
     * of the network ({@code pxfs_file} of the paper). Threads of this process open, close and remove files, take the
     * checksums of written stripes, and read and write files that have several copies, or segments in directories of
     * this host.
     *
     * @param layout of new files
     * @param settings the number of threads, and the depth; their means do not matter
     */
    public static AsyncFiles byServers(Stage stage, StripeLayout layout, AsyncSettings settings) {
        return AsyncFiles.over(servers(stage, layout, settings), settings.depth(),
                "requests to the servers of a stage");
    }

    static Backend threads(Stage stage, StripeLayout layout, AsyncSettings settings) {
        return new ThreadBackend(new StageCalls(stage, layout, umask()), threads(settings), settings.depth());
    }

    static Backend servers(Stage stage, StripeLayout layout, AsyncSettings settings) {
        return new PipelinedBackend(new StageCalls(stage, layout, umask()), threads(settings), settings.depth());
    }

    private static int threads(AsyncSettings settings) {
        return settings.threads() == 0 ? 2 * Runtime.getRuntime().availableProcessors() : settings.threads();
    }

    private static int umask() {
        try {
            return ProcessStatus.read().umask();
        } catch (IOException e) {
            return 077; // unknown: nobody gets more access than the user may want
        }
    }
}
