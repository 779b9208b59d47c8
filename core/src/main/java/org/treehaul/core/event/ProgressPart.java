// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.EntryKind;

/**
 * The counts of one thread. They reach the {@link Progress} in portions, because threads that increment the same
 * counter for each entry wait for each other. Used by one thread.
 */
@Internal
public final class ProgressPart {

    private static final int PORTION = 64;

    private final Progress whole;
    private int entries;
    private int files;
    private int directories;
    private long bytes;

    /** Creates counts that are added to a progress. */
    public ProgressPart(Progress whole) {
        this.whole = whole;
    }

    /**
     * Counts an entry of this kind as done.
     *
     * @param itsBytes bytes of data to count with a regular file
     */
    public void entryDone(EntryKind kind, long itsBytes) {
        if (kind == EntryKind.REGULAR) {
            files++;
            bytes += itsBytes;
        } else if (kind == EntryKind.DIRECTORY) {
            directories++;
        }
        if (++entries >= PORTION) {
            publish();
        }
    }

    /** Counts regular files as done, with all their bytes of data. */
    public void filesDone(int number, long theirBytes) {
        files += number;
        bytes += theirBytes;
        entries += number;
        if (entries >= PORTION) {
            publish();
        }
    }

    /** Adds the counts since the last call to the progress: at the latest when the thread waits or ends. */
    public void publish() {
        if (entries > 0) {
            whole.done(entries, files, directories, bytes);
            entries = 0;
            files = 0;
            directories = 0;
            bytes = 0;
        }
    }
}
