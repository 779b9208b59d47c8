// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;

/**
 * What was found so far in a directory that is being walked, by any of the threads. Subdirectories stay until the end,
 * since only then it is known whether they could be read.
 */
final class GatheredDirectory {

    // A directory of millions is handed on in parts; of those that are handed on only the names are kept.
    private static final int PART = 4096;

    private final ByteString path;
    private final boolean isElsewhere;
    private final boolean isSpace;
    private final Map<ByteString, FileTuple> known;
    private List<FileTuple> files = new ArrayList<>();
    private final List<FileTuple> directories = new ArrayList<>();
    private final Set<ByteString> earlier = new HashSet<>();

    /**
     * Begins.
     *
     * @param isElsewhere whether it stands on another file system, where the walk does not look
     * @param isSpace whether it is that of the space, whose files are not to be opened
     * @param known what the index knew of its entries, as far as that was asked for
     */
    GatheredDirectory(ByteString path, boolean isElsewhere, boolean isSpace, Map<ByteString, FileTuple> known) {
        this.path = path;
        this.isElsewhere = isElsewhere;
        this.isSpace = isSpace;
        this.known = known;
    }

    ByteString path() {
        return path;
    }

    boolean isElsewhere() {
        return isElsewhere;
    }

    boolean isSpace() {
        return isSpace;
    }

    Map<ByteString, FileTuple> known() {
        return known;
    }

    /** Adds an entry, and returns a part to hand on when there are enough. */
    synchronized List<FileTuple> add(FileTuple entry) {
        if (entry.kind() == EntryKind.DIRECTORY) {
            directories.add(entry);
            return List.of();
        }
        files.add(entry);
        if (files.size() < PART) {
            return List.of();
        }
        List<FileTuple> part = files;
        files = new ArrayList<>();
        part.forEach(file -> earlier.add(file.name()));
        return part;
    }

    /**
     * Ends, and returns what was not handed on yet.
     *
     * @param failures the whole paths of what could not be read
     * @param isWhole whether the listing was read to its end
     */
    synchronized Listing end(Map<ByteString, EntryFailure.Kind> failures, boolean isWhole, long generation) {
        List<FileTuple> entries = files;
        for (FileTuple directory : directories) {
            EntryFailure.Kind failure = failures.isEmpty() ? null : failures.get(directory.path());
            if (failure == null) {
                entries.add(directory);
            } else if (failure != EntryFailure.Kind.VANISHED) {
                entries.add(directory.withUnread(true, generation));
            }
        }
        return new Listing(path, entries, earlier, isWhole);
    }
}
