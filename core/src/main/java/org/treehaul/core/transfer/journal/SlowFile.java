// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.time.Duration;

import org.treehaul.core.annotation.Api;

/**
 * A file, or a chunk of a large file, that took a worker long.
 *
 * @param path its path, printable, perhaps cut at its end
 * @param bytes its size
 * @param time how long the worker took to copy it, without reading it back, or to do what the operation does to it
 */
@Api
public record SlowFile(String path, long bytes, Duration time) {

    /** The largest number of files that a worker reports about an attempt. */
    public static final int MOST = 10;

    /** The shortest time that a worker reports. */
    public static final Duration SHORTEST = Duration.ofMillis(100);

    /** Creates a value. */
    public SlowFile {
        if (path.isEmpty() || bytes < 0 || time.isNegative()) {
            throw new IllegalArgumentException(path + ", " + bytes + " bytes, " + time);
        }
    }
}
