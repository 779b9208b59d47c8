// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;

/** Writes what a process of a user has to say to the worker of root. Thread-safe. */
public final class Answers {

    private final OutputStream out;
    private final Progress progress;
    private final Cancellation cancellation;

    /**
     * Creates the answers.
     *
     * @param out the standard output of the process
     * @param cancellation is cancelled when the worker does not read any more
     */
    public Answers(OutputStream out, Progress progress, Cancellation cancellation) {
        this.out = out;
        this.progress = progress;
        this.cancellation = cancellation;
    }

    /** Says something that the worker prints. */
    public void notice(String text) {
        line("notice " + Lines.part(text));
    }

    /** Gives a sign of life. */
    void alive() {
        Progress.Snapshot now = progress.snapshot();
        line("alive " + now.entries() + " " + now.files() + " " + now.directories() + " " + now.bytes());
    }

    synchronized void line(String line) {
        try {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            cancellation.cancel();
        }
    }
}
