// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.transfer.directory.Pause;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.WorkerErrors;

/**
 * Records that a check of the mounts takes long, as long as it lasts: a call on a dead mount may never return. The
 * record is removed when the check ends. Closing ends the thread.
 */
final class MountWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MountWatch.class);

    private final WorkerErrors errors;
    private final int worker;
    private final Instant since = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final Pause pause = new Pause();
    private final Thread thread;
    // Written by the thread, and read after its end.
    private boolean isRecorded;

    /**
     * Begins to watch.
     *
     * @param patience the time after which the check takes long
     * @param path the path that is being checked, printable
     */
    MountWatch(WorkerErrors errors, int worker, Duration patience, Supplier<String> path) {
        this.errors = errors;
        this.worker = worker;
        this.thread = Thread.ofPlatform().daemon().name("treehaul-mounts").start(() -> {
            if (pause.sleep(patience)) {
                record(path.get());
            }
        });
    }

    private void record(String path) {
        try {
            errors.record(worker, path + " has not answered on host " + ThisProcess.host() + " since " + since
                    + ": the worker has checked the mounts since then");
            isRecorded = true;
        } catch (IOException e) {
            LOG.warn("cannot record that {} does not answer: {}", path, StateDirectory.reason(e));
        }
    }

    @Override
    public void close() throws IOException {
        pause.end();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (isRecorded) {
            errors.clear(worker);
        }
    }
}
