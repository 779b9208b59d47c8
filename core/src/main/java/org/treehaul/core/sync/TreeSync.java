// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.threads.Threads;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * Makes destinations equal to sources, as {@code rsync -aHAX} does, with many threads. Immutable; any number of threads
 * may use it.
 */
public final class TreeSync {

    /**
     * The result of a survey.
     *
     * @param pair the source and the path of its copy, relative if they were given so
     * @param isOfDirectory whether the source is a directory
     * @param options the options, with the links to follow and with paths that do not depend on the destination
     * @param compared the number of entries that were compared
     * @param listed the number of paths in the list
     * @param renamed the number of files that were renamed
     * @param isComplete whether the survey was neither cancelled nor given up because the destination failed
     */
    @Internal
    public record Survey(CopyPair pair, boolean isOfDirectory, SyncOptions options, long compared, long listed,
            long renamed, boolean isComplete) {

        Survey withRenamed(long number) {
            return new Survey(pair, isOfDirectory, options, compared, listed, number, isComplete);
        }
    }

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final Path temporary;
    private final @Nullable LastSources lastSources;
    private final @Nullable SelectedPaths list;

    private TreeSync(FileSystemCalls calls, SyncOptions options, Path temporary, @Nullable LastSources lastSources,
            @Nullable SelectedPaths list) {
        this.calls = calls;
        this.options = options;
        this.temporary = temporary;
        this.lastSources = lastSources;
        this.list = list;
    }

    /**
     * Returns a sync.
     *
     * @param temporary a directory for files without names, which hold about 100 bytes for each entry that differs
     */
    public static TreeSync of(FileSystemCalls calls, SyncOptions options, Path temporary) {
        return new TreeSync(calls, options, temporary, null, null);
    }

    /**
     * Returns a sync that removes nothing if the file system of the source is another one than in the last run into the
     * same destination, unless {@link SyncOptions#isForced}: it is perhaps the directory below a mount that is missing.
     *
     * @param directory the directory that keeps a small file for each destination; only this user may have access to
     *        it, and it is made if it does not exist
     */
    public TreeSync remembering(Path directory) {
        return new TreeSync(calls, options, temporary, new LastSources(calls, directory), list);
    }

    /**
     * Returns a sync of listed paths of the source, each with everything below it, as with {@code --files-from}. The
     * content of the source goes into the destination, as if its path ended with a slash. Directories on the way to a
     * path are made, and get their attributes. A path that the source does not have is a failure; a sync that removes
     * entries removes it at the destination instead.
     *
     * @param paths the paths; must not change afterwards
     */
    public TreeSync ofPaths(SelectedPaths paths) {
        return new TreeSync(calls, options, temporary, lastSources, paths);
    }

    /**
     * Makes the destination equal to the source. Nothing changes before both were compared and the removals were found
     * plausible. An entry that fails is reported, and the rest is done. An entry of the destination is removed only if
     * the directories above it were listed completely on both sides, and if it is still the entry that was compared.
     *
     * <p>
     * Afterwards every file with its final name is complete. After a cancellation, an interrupt of the calling thread
     * or a kill the same call completes the work.
     *
     * @param source the source; with a slash at its end, or {@code .} as its last name, its content goes into the
     *        destination, else the source becomes an entry of the destination
     * @param destination the destination; a directory that does not exist is created
     * @param changes receives each change before it is made
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries while the run lasts
     * @throws CopyRefusedException if the run would do harm; then nothing was changed
     * @throws java.io.UncheckedIOException if /proc is not mounted, or the temporary directory cannot be written
     */
    public SyncResult sync(ByteString source, ByteString destination, ChangeListener changes, EventListener listener,
            Progress progress, Cancellation cancellation) throws CopyRefusedException {
        Cancellation stop = Cancellation.of(cancellation);
        try {
            // An interrupt would close the files in which the run notes what it has found.
            return Threads.apart("treehaul-sync", stop::cancel, () -> {
                try (SyncRun run = open(options, source, destination, changes, listener, progress, stop)) {
                    return new Outcome(run.run(), null);
                } catch (CopyRefusedException e) {
                    return new Outcome(null, e);
                }
            }).get();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A result, or the reason why there is none. */
    private record Outcome(@Nullable SyncResult result, @Nullable CopyRefusedException refusal) {
        SyncResult get() throws CopyRefusedException {
            if (refusal != null) {
                throw refusal;
            }
            return Objects.requireNonNull(result);
        }
    }

    /**
     * Compares both trees, refuses what {@link #sync} would refuse, and lists what other processes can copy: what the
     * destination does not have, and files whose data differ. A sync afterwards does the rest: attributes, entries of
     * another kind, files that must be kept before they are replaced, hard links, and removals. Changes nothing, except
     * that the directory is made that will contain the copy, unless the copy is the destination itself, and that
     * renames which the options detect are made.
     *
     * @param list receives the paths below the source, in the format of
     *        {@link org.treehaul.core.walk.options.PathList#readMarked}
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries while the survey lasts
     * @throws CopyRefusedException if the sync would do harm
     * @throws java.io.UncheckedIOException if /proc is not mounted, or the list or the temporary directory cannot be
     *         written
     */
    @Internal
    public Survey survey(ByteString source, ByteString destination, OutputStream list, EventListener listener,
            Progress progress, Cancellation cancellation) throws CopyRefusedException {
        long renamed = 0;
        long approved = 0;
        SyncOptions used = options;
        EventListener events = listener;
        while (true) {
            try (Spool paths = new Spool(temporary);
                    SyncRun run = open(used, source, destination, change -> addRenamed(change, paths), events, progress,
                            cancellation)) {
                Survey survey = run.survey(list, paths, approved);
                renamed += run.renamed();
                if (survey != null) {
                    return survey.withRenamed(renamed);
                }
                // Files that could not be renamed are removed later. It is too late to refuse that.
                approved = run.listedRemovals();
                used = used.withDetectedRenames(false);
                events = event -> {
                    // The first comparison reported these failures; finishing compares again, and reports new ones.
                };
            }
        }
    }

    private static void addRenamed(Change change, Spool paths) {
        if (change.action() == Change.Action.RENAME) {
            paths.add(new Found(change.path(), EntryKind.REGULAR, Found.Mark.NONE, Found.Mark.NONE));
        }
    }

    private SyncRun open(SyncOptions used, ByteString source, ByteString destination, ChangeListener changes,
            EventListener listener, Progress progress, Cancellation cancellation) throws CopyRefusedException {
        SyncOptions resolved = used.below(destination, SyncPlace.exists(calls, destination));
        SyncPlace place = SyncPlace.of(calls, source, destination, resolved, list != null);
        return new SyncRun(calls, resolved, place, list, changes, listener, progress, cancellation, temporary,
                lastSources);
    }
}
