// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import org.treehaul.core.fs.SystemCallException;

/**
 * A file that a {@link TargetTree} created, until it has its name. Until then no program finds it there, and a program
 * that dies leaves no part of it under that name. Exactly one of {@link #commit} and {@link #discard} ends it, by the
 * thread that created it.
 */
public interface NewFile {

    /** Returns its data. */
    TargetFile data();

    /**
     * Gives the file its metadata and its name, in place of an existing file or symbolic link. Afterwards the file is
     * closed.
     *
     * @throws SystemCallException if it did not get its name, such as EEXIST for a device or FIFO, or for an entry that
     *         appeared at this moment; nothing is left of the file, and an existing entry is as before, unless only the
     *         last step of its replacement reported an error
     */
    void commit() throws SystemCallException;

    /** Removes the file. Errors are ignored: the caller has a more important one to report. */
    void discard();
}
