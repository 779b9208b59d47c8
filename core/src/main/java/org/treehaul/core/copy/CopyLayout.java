// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;
import java.util.stream.Stream;

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * The target of each source, according to the layout of GNU cp. Computing it writes nothing.
 *
 * <p>
 * As with cp, a source that does not exist, or that is a directory in a copy without recursion, fails alone, and the
 * others are copied. The whole copy is refused for mistakes that cp would detect half way or not at all: a directory
 * copied into itself, a source that is its own destination, two sources with the same destination.
 *
 * @param pairs the sources and their targets
 * @param unplaced the sources that cannot be copied
 * @param notices further information for the user, printable
 * @param isOwnBackup whether a file is copied to its own backup, so that nothing else is backed up
 */
public record CopyLayout(List<CopyPair> pairs, List<UnplacedSource> unplaced, List<String> notices,
        boolean isOwnBackup) {

    public CopyLayout {
        pairs = List.copyOf(pairs);
        unplaced = List.copyOf(unplaced);
        notices = List.copyOf(notices);
    }

    /** Creates a layout in which no file is copied to its own backup. */
    public CopyLayout(List<CopyPair> pairs, List<UnplacedSource> unplaced, List<String> notices) {
        this(pairs, unplaced, notices, false);
    }

    /** Returns the failures of the sources that cannot be copied. */
    public List<EntryFailure> failures() {
        return unplaced.stream().map(UnplacedSource::failure).toList();
    }

    /** Reports the notices, and the sources that cannot be copied. */
    public void report(EventListener listener) {
        for (String notice : notices) {
            listener.onEvent(new Event.Notice(notice));
        }
        for (UnplacedSource source : unplaced) {
            listener.onEvent(new Event.Failed(source.failure()));
        }
    }

    /**
     * Determines the layout, on the calling thread.
     *
     * @param options the options of the copy, which decide whether directories are copied, links followed and existing
     *        entries replaced
     * @throws CopyRefusedException if the arguments are invalid or the copy would do harm
     */
    public static CopyLayout of(FileSystemCalls calls, CopyArguments arguments, CopyOptions options)
            throws CopyRefusedException {
        return of(calls, arguments, options, new Progress());
    }

    /**
     * Determines the layout like {@link #of(FileSystemCalls, CopyArguments, CopyOptions)}.
     *
     * @param progress shows the path that is examined, because its mount may hang; afterwards all paths of the
     *        arguments, until the caller sets other work
     */
    public static CopyLayout of(FileSystemCalls calls, CopyArguments arguments, CopyOptions options, Progress progress)
            throws CopyRefusedException {
        try (FileAccess access = FileAccess.open(calls)) {
            PathStatus paths = new PathStatus(access, progress);
            return new LayoutResolver(paths, new RepeatedCopy(access, paths), arguments, options).resolve();
        } finally {
            progress.setBusy(() -> Stream.concat(arguments.targetDirectory().stream(), arguments.operands().stream())
                    .map(ByteString::toString)
                    .toList());
        }
    }

    /**
     * Returns the options adapted to these pairs: if only parts of a tree are copied, the directories on the way to
     * them are copied even without recursion; and a backup is not backed up.
     */
    public CopyOptions adapt(CopyOptions options) {
        boolean hasSelection = pairs.stream().anyMatch(pair -> pair.source().selection().isPresent());
        CopyOptions adapted = isOwnBackup ? options.toBuilder().backup(Backup.none()).build() : options;
        return hasSelection ? adapted.toBuilder().recursive(true).build() : adapted;
    }
}
