// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

/** How the threads of a measurement read and write. */
public enum IoWay {
    /** Each thread makes one system call after another. */
    SYNC,
    /** By asynchronous files over threads. */
    THREADS,
    /** By asynchronous files over io_uring. */
    RING
}
