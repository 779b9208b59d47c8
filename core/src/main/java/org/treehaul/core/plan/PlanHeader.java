// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;

/**
 * What concerns a plan as a whole.
 *
 * @param id the transfer
 * @param created when planning began
 * @param umask the mask that new files get, whoever makes them
 * @param uid the numeric user who planned
 * @param host the host on which it was planned
 * @param strategy the name of the strategy
 * @param limits what the strategy was asked for
 * @param jobs how many jobs are to work on it
 * @param chunkBytes the size above which files are cut, and of a chunk; 0 where none is
 * @param hasLinkGroups whether names of one file are kept together and become links again
 * @param roots what is copied where
 * @param token the name of the file that shows that a destination is mounted
 * @param tokenDirectories absolute paths of the directories that it stands in; none where it was not written
 * @param settings how the transfer goes, in words of those who carry it out
 */
public record PlanHeader(String id, Instant created, int umask, long uid, String host, String strategy,
        BatchLimits limits, int jobs, long chunkBytes, boolean hasLinkGroups, List<PlannedRoot> roots, String token,
        List<ByteString> tokenDirectories, SortedMap<String, String> settings) {

    /** The format that is written, and the only one that is read. */
    public static final int VERSION = 1;

    /** Makes a header. */
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

    /** Returns the name of the token of a transfer. */
    public static String tokenName(String id) {
        return ".treehaul-" + id;
    }

    // They become names of files.
    private static void checkWord(String word) {
        if (!word.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new IllegalArgumentException("no id: " + ByteString.of(word));
        }
    }
}
