// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.IOException;
import java.util.List;

import org.treehaul.core.plan.format.RecordFiles;

/**
 * A file copied in chunks; its further names are added as they are found.
 *
 * @param key its first name
 * @param entry its status
 * @param chunks number of its chunks
 * @param group the number of its hard-link group, 0 for none
 * @param names its further names
 */
public record CutFile(SpoolKey key, SpooledEntry entry, int chunks, long group, List<SpoolKey> names) {

    /** Writes the file and its further names as records of the plan. */
    public void write(RecordFiles.Writer out) throws IOException {
        out.chunked(key.root(), key.path(), entry.status(), chunks, group, names.size());
        for (SpoolKey name : names) {
            out.place(name.root(), name.path());
        }
    }
}
