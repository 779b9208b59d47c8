// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.copy.target.CopyTask;

/** One thread of a copy, as seen by a large file that several threads copy. */
public interface FileWorker {

    /** Returns the thread's copier of files. */
    FileCopier files();

    /** Writes a task's target name into the thread's scratch memory. */
    MemorySegment targetName(CopyTask task);
}
