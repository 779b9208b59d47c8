// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/**
 * The input of one run of a task. Immutable.
 *
 * @param path the path of an entry, or of a list of several
 * @param segment the range of the file, if the task divides files
 */
public record TaskInput(ByteString path, @Nullable Segment segment) {

    /** Returns a whole entry, or a list. */
    public static TaskInput of(ByteString path) {
        return new TaskInput(path, null);
    }

    /** Returns the input as it is shown to users while the task runs. */
    public ByteString label() {
        return segment == null || segment.count() == 1
                ? path
                : path.plus(ByteString.of(" from byte " + segment.offset()));
    }

    /** Returns a failure of the task, which names the segment if the file has several. */
    public SystemCallException named(SystemCallException cause) {
        return segment == null || segment.count() == 1
                ? cause
                : new SystemCallException(
                        "segment " + segment.number() + " from byte " + segment.offset() + ": " + cause.operation(),
                        cause.errno());
    }
}
