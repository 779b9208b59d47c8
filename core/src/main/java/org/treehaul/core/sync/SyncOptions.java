// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;

/**
 * The options of a run. Immutable; each {@code with} method returns a changed copy.
 *
 * @param copy how entries are copied, which attributes they keep, which entries are left out on both sides, and whether
 *        nothing is written
 * @param check the rule that decides whether an existing file is copied again
 * @param modifyWindow times that differ by at most this are equal
 * @param deletion whether entries that the source does not have are removed, and when
 * @param mostRemovals removals after which no further entry is removed, 0 or more
 * @param isForced whether removals are made that look like those of an unmounted source
 * @param listsBelow whether each entry of a new directory is reported, which costs another walk of it
 * @param backup the directory that keeps what is replaced or removed; a relative path is below the destination
 * @param earlier earlier copies, whose equal entries are not copied again
 * @param detectsRenames whether files that were renamed or moved at the source are renamed at the destination; every
 *        new file of the source that may be one is compared with its data, and each entry of a new directory is
 *        reported
 */
public record SyncOptions(CopyOptions copy, Check check, Duration modifyWindow, Deletion deletion, long mostRemovals,
        boolean isForced, boolean listsBelow, Optional<ByteString> backup, Earlier earlier, boolean detectsRenames) {

    /** The value of {@link #mostRemovals} without a limit. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    /** The rule that decides whether the data of an existing file are those of the source. */
    public enum Check {
        /** Size and mtime. */
        SIZE_AND_TIME,
        /** The size alone: {@code --size-only}. */
        SIZE_ONLY,
        /** Size and data: {@code --checksum}. Both sides are read. */
        CONTENT,
        /** Nothing: every file is copied: {@code --ignore-times}. */
        NONE
    }

    /** Whether entries that the source does not have are removed. */
    public enum Deletion {
        /** They stay. */
        NONE,
        /** Before anything is copied, which makes room: {@code --delete} and {@code --delete=before}. */
        BEFORE,
        /** After everything is copied: {@code --delete=after} and {@code --delete=delay}. */
        AFTER
    }

    /**
     * Earlier copies of the source.
     *
     * @param directories the directories in the order in which they are searched, at most {@link #MOST}; relative paths
     *        are below the destination
     * @param isLinked true if a new entry becomes a hard link to an equal one, false if it is left out
     */
    public record Earlier(List<ByteString> directories, boolean isLinked) {

        /** No earlier copies. */
        public static final Earlier NONE = new Earlier(List.of(), true);

        /** The largest number of directories, as with rsync. */
        public static final int MOST = 20;

        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException for too many directories, or an empty path
         */
        public Earlier {
            directories = List.copyOf(directories);
            if (directories.size() > MOST) {
                throw new IllegalArgumentException(
                        directories.size() + " earlier copies are given; at most " + MOST + " are searched");
            }
            if (directories.stream().anyMatch(path -> path.length() == 0)) {
                throw new IllegalArgumentException("the path of an earlier copy is empty");
            }
        }

        /** Returns whether there is any. */
        public boolean isAny() {
            return !directories.isEmpty();
        }
    }

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if a number is negative, a path is empty, the copy would not replace existing
     *         files, or renames are detected without removals after the copy, with earlier copies or without a check
     */
    public SyncOptions {
        if (modifyWindow.isNegative()) {
            throw new IllegalArgumentException("negative modify window: " + modifyWindow);
        }
        if (mostRemovals < 0) {
            throw new IllegalArgumentException("negative limit of removals: " + mostRemovals);
        }
        if (backup.filter(path -> path.length() == 0).isPresent()) {
            throw new IllegalArgumentException("the path of the backups is empty");
        }
        if (!copy.recursive() || copy.existing() != CopyOptions.Existing.REPLACE || copy.attributesOnly()
                || copy.form() != CopyOptions.Form.COPY) {
            throw new IllegalArgumentException("a sync copies trees, with their data, over existing files");
        }
        if (detectsRenames && (deletion != Deletion.AFTER || earlier.isAny() || check == Check.NONE)) {
            throw new IllegalArgumentException(
                    "renames are detected among what is removed after the copy, without earlier copies, and not if every "
                            + "file is copied");
        }
    }

    /** Returns the options of {@code rsync -aHAX}, with times compared to the nanosecond. */
    public static SyncOptions defaults() {
        return new SyncOptions(CopyOptions.archive().build(), Check.SIZE_AND_TIME, Duration.ZERO, Deletion.NONE,
                NO_LIMIT, false, false, Optional.empty(), Earlier.NONE, false);
    }

    /** Returns a copy with other options of copying. */
    public SyncOptions withCopy(CopyOptions other) {
        return new SyncOptions(other, check, modifyWindow, deletion, mostRemovals, isForced, listsBelow, backup,
                earlier, detectsRenames);
    }

    /** Returns a copy with another check of existing files. */
    public SyncOptions withCheck(Check other) {
        return new SyncOptions(copy, other, modifyWindow, deletion, mostRemovals, isForced, listsBelow, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy with another tolerance of times. */
    public SyncOptions withModifyWindow(Duration window) {
        return new SyncOptions(copy, check, window, deletion, mostRemovals, isForced, listsBelow, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy that removes, or keeps, what the source does not have. */
    public SyncOptions withDeletion(Deletion other) {
        return new SyncOptions(copy, check, modifyWindow, other, mostRemovals, isForced, listsBelow, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy with a limit of removals. */
    public SyncOptions withMostRemovals(long most) {
        return new SyncOptions(copy, check, modifyWindow, deletion, most, isForced, listsBelow, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy that makes, or refuses, removals that look like those of an unmounted source. */
    public SyncOptions withForced(boolean force) {
        return new SyncOptions(copy, check, modifyWindow, deletion, mostRemovals, force, listsBelow, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy that reports, or does not report, each entry of a new directory. */
    public SyncOptions withListsBelow(boolean lists) {
        return new SyncOptions(copy, check, modifyWindow, deletion, mostRemovals, isForced, lists, backup, earlier,
                detectsRenames);
    }

    /** Returns a copy that keeps what it replaces or removes. */
    public SyncOptions withBackup(ByteString directory) {
        return new SyncOptions(copy, check, modifyWindow, deletion, mostRemovals, isForced, listsBelow,
                Optional.of(directory), earlier, detectsRenames);
    }

    /**
     * Returns a copy that uses earlier copies: a new file or symbolic link that equals one of theirs in everything that
     * is copied becomes a hard link to it, or is left out.
     */
    public SyncOptions withEarlier(Earlier other) {
        return new SyncOptions(copy, check, modifyWindow, deletion, mostRemovals, isForced, listsBelow, backup, other,
                detectsRenames);
    }

    /** Returns a copy that renames, or copies, files that were renamed or moved at the source. */
    public SyncOptions withDetectedRenames(boolean detects) {
        return new SyncOptions(copy, check, modifyWindow, deletion, mostRemovals, isForced, listsBelow, backup, earlier,
                detects);
    }

    /** Returns whether entries that the source does not have are removed. */
    public boolean deletes() {
        return deletion != Deletion.NONE;
    }

    /** Returns whether new entries are listed before the copy. */
    boolean listsNew() {
        return listsBelow || detectsRenames;
    }

    /** Returns whether a new entry may exist elsewhere, so that it is not reported before that is known. */
    boolean seeksNew() {
        return earlier.isAny() || detectsRenames;
    }

    // As with rsync, relative paths are below the destination.
    SyncOptions below(ByteString destination, boolean exists) {
        List<ByteString> directories = earlier.directories.stream()
                .map(path -> below(destination, exists, path))
                .toList();
        SyncOptions resolved = withEarlier(new Earlier(directories, earlier.isLinked));
        return backup.map(path -> resolved.withBackup(below(destination, exists, path))).orElse(resolved);
    }

    private static ByteString below(ByteString destination, boolean exists, ByteString path) {
        if (path.at(0) == '/') {
            return path;
        }
        byte[] bytes = path.toBytes();
        boolean leadsUp = bytes.length >= 2 && bytes[0] == '.' && bytes[1] == '.'
                && (bytes.length == 2 || bytes[2] == '/');
        if (exists || !leadsUp) {
            return UserPath.join(destination, path);
        }
        // The directory above a destination that will be made; the kernel cannot go there through it yet.
        ByteString above = UserPath.parent(destination);
        return bytes.length <= 3
                ? above
                : UserPath.join(above, ByteString.of(Arrays.copyOfRange(bytes, 3, bytes.length)));
    }
}
