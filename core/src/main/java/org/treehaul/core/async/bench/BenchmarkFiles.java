// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import org.treehaul.core.entry.ByteString;

/** The files of a measurement: {@code THREAD.FILE} in a directory of their own. */
interface BenchmarkFiles {

    /** Returns the path of a file of a thread. */
    ByteString path(int thread, int file);

    /** Writes all files to the disk, with data that compress badly. */
    void writeAll(BooleanSupplier isCancelled) throws IOException;

    /** Makes the page cache forget the files, if they are to be read cold. */
    void forget(BooleanSupplier isCancelled) throws IOException;
}
