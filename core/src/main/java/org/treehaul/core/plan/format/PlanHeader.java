// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;

/**
 * The properties of a plan as a whole.
 *
 * @param id the transfer
 * @param created when planning started
 * @param umask the file mode creation mask for new files, regardless of the process that creates them
 * @param uid the numeric id of the user who planned
 * @param host the host on which planning ran
 * @param strategy the name of the strategy
 * @param limits the limits given to the strategy
 * @param jobs the number of jobs that will share the work
 * @param chunkBytes the size above which files are copied in chunks, and the size of a chunk; 0 for no chunks
 * @param hasLinkGroups whether the names of a file are kept together and become hard links again
 * @param roots the sources and their targets
 * @param token the name of the file that shows that a destination is mounted
 * @param tokenDirectories absolute paths of the directories that contain the token; empty if it was not written
 * @param settings settings of the transfer, in terms of the code that carries it out
 */
public record PlanHeader(String id, Instant created, int umask, long uid, String host, String strategy,
        BatchLimits limits, int jobs, long chunkBytes, boolean hasLinkGroups, List<PlannedRoot> roots, String token,
        List<ByteString> tokenDirectories, SortedMap<String, String> settings) {

    /** The format version that is written; versions from {@link #OLDEST_VERSION} on can be read. */
    public static final int VERSION = 2;

    /** The oldest format version that can be read. */
    public static final int OLDEST_VERSION = 1;

    /** Creates a header. */
    public PlanHeader {
        checkWord(id);
        checkWord(token);
        if (umask < 0 || umask > 0777) {
            throw new IllegalArgumentException("umask out of range: 0" + Integer.toOctalString(umask));
        }
        roots = List.copyOf(roots);
        tokenDirectories = List.copyOf(tokenDirectories);
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    }

    /** Returns the file name of the token of a transfer. */
    public static String tokenName(String id) {
        return ".treehaul-" + id;
    }

    // Both become part of file names.
    private static void checkWord(String word) {
        if (!word.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new IllegalArgumentException("not an id: " + ByteString.of(word));
        }
    }
}
