// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * Which source gets which place: the layout of GNU cp. Nothing is written to find out.
 *
 * <p>
 * A source that is not there, or that is a directory where directories are not copied, fails by itself and the others
 * go on, as with cp. What cp would notice half way, or not at all, is refused as a whole: a directory copied into
 * itself, a source that is its own destination, two sources with one destination.
 *
 * @param pairs what to copy where
 * @param unplaced the sources that cannot be copied
 * @param notices what the user should know all the same, printable
 * @param isOwnBackup whether a file is copied to its own backup, so that nothing else is backed up
 */
public record CopyLayout(List<CopyPair> pairs, List<UnplacedSource> unplaced, List<String> notices,
        boolean isOwnBackup) {

    /** Makes a layout. */
    public CopyLayout {
        pairs = List.copyOf(pairs);
        unplaced = List.copyOf(unplaced);
        notices = List.copyOf(notices);
    }

    /** Makes a layout of copies that are no backups. */
    public CopyLayout(List<CopyPair> pairs, List<UnplacedSource> unplaced, List<String> notices) {
        this(pairs, unplaced, notices, false);
    }

    /** Returns what went wrong with the sources that cannot be copied. */
    public List<EntryFailure> failures() {
        return unplaced.stream().map(UnplacedSource::failure).toList();
    }

    /**
     * Works out the layout, from the calling thread.
     *
     * @param options whether directories are copied, and which links are followed, matter here
     * @throws CopyRefusedException when the arguments make no sense or the copy would do harm
     */
    public static CopyLayout of(FileSystemCalls calls, CopyArguments arguments, CopyOptions options)
            throws CopyRefusedException {
        try (FileAccess access = FileAccess.open(calls)) {
            return new LayoutResolver(new PathStatus(access), arguments, options).resolve();
        }
    }

    /**
     * Returns the options that these pairs need: where only parts of a tree are copied, the directories on the way to
     * them are copied whether or not directories are copied otherwise; and a backup gets no backup.
     */
    public CopyOptions adapt(CopyOptions options) {
        boolean hasSelection = pairs.stream().anyMatch(pair -> pair.source().selection().isPresent());
        CopyOptions adapted = isOwnBackup ? options.toBuilder().backup(Backup.none()).build() : options;
        return hasSelection ? adapted.toBuilder().recursive(true).build() : adapted;
    }
}
