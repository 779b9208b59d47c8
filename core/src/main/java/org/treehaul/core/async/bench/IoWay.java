// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.util.Locale;

/** How the threads of a measurement read and write. */
public enum IoWay {
    /** Each thread makes one system call after another. */
    SYNC,
    /** By asynchronous files over threads. */
    THREADS,
    /** By asynchronous files over io_uring. */
    RING,
    /** By files of a stage, each thread with one operation after another. */
    STAGE_SYNC,
    /** By asynchronous files over a stage whose operations threads wait for. */
    STAGE_THREADS,
    /** By asynchronous files over a stage whose operations no thread waits for. */
    STAGE_SERVERS;

    /** Returns whether the files are in a stage. */
    public boolean isStage() {
        return compareTo(STAGE_SYNC) >= 0;
    }

    /** Returns the name for users. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
