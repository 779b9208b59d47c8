// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.StateFile;

/**
 * The generations of a transfer: files named by increasing numbers, each created exclusively when the transfer is
 * started, resumed or cancelled. Workers and finishers of a generation that is not the newest stop. Only the existence
 * of a file counts; its content is for users, except for the field that says whether mounts are trusted.
 */
public final class Generations {

    private static final String TRUSTED = "trusted";

    private final Path directory;

    Generations(Path directory) {
        this.directory = directory;
    }

    /** Reason for a generation. */
    public enum Reason {
        /** The transfer was started. */
        START,
        /** The transfer continues with its missing work. */
        RESUME,
        /** The transfer was cancelled. */
        CANCEL
    }

    /** Returns the number of the newest generation, 0 before the first. */
    public int newest() throws IOException {
        int newest = 0;
        try (Listing files = Listing.of(ServerView.fresh(directory))) {
            for (Path file = files.next(); file != null; file = files.next()) {
                newest = Math.max(newest, number(file.getFileName().toString()));
            }
        }
        return newest;
    }

    private static int number(String name) {
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns whether the newest generation accepts mounts by their content, regardless of inode numbers. */
    public boolean trustsMounts() throws IOException {
        return isForced(newest());
    }

    /** Returns the newest generation that a user forced, 0 for none: workers of older ones may still be alive. */
    public int lastForced() throws IOException {
        int number = newest();
        while (number > 0 && !isForced(number)) {
            number--;
        }
        return number;
    }

    private boolean isForced(int number) throws IOException {
        return StateFile.find(directory.resolve(String.valueOf(number))).filter(file -> {
            try {
                return file.text("mounts").equals(TRUSTED);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }).isPresent();
    }

    /** Returns the reason for the newest generation, if it can be read. */
    public Optional<Reason> reason() throws IOException {
        int newest = newest();
        if (newest == 0) {
            return Optional.empty();
        }
        return StateFile.find(directory.resolve(String.valueOf(newest))).flatMap(file -> {
            try {
                return Optional.of(Reason.valueOf(file.text("reason").toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    /**
     * Begins a generation and returns its number. All earlier generations stop their work from now on. Concurrent
     * callers get different numbers.
     */
    public int raise(Reason reason) throws IOException {
        return raise(reason, false);
    }

    /**
     * Like {@link #raise(Reason)}.
     *
     * @param trustsMounts whether the user asserts that source and destination are the right ones, even if their inode
     *        numbers have changed
     */
    public int raise(Reason reason, boolean trustsMounts) throws IOException {
        while (true) {
            try {
                return make(newest() + 1, reason, trustsMounts);
            } catch (FileAlreadyExistsException e) {
                // Another process was first: try the next number.
            }
        }
    }

    /**
     * Begins the generation after the one on which the caller based its decision.
     *
     * @param seen the newest generation at that time, 0 for none
     * @throws OvertakenException if another process has begun a generation since; nothing is changed
     */
    public int raiseAfter(int seen, Reason reason, boolean trustsMounts) throws IOException {
        requireNewest(seen);
        try {
            return make(seen + 1, reason, trustsMounts);
        } catch (FileAlreadyExistsException e) {
            throw overtaken(seen + 1);
        }
    }

    /** Throws an {@link OvertakenException} unless a generation, 0 for none, is the newest. */
    public void requireNewest(int generation) throws IOException {
        if (!isNewest(generation)) {
            throw overtaken(generation + 1);
        }
    }

    private static OvertakenException overtaken(int by) {
        return new OvertakenException("another command has resumed, cancelled or forgotten this transfer "
                + "(generation " + by + "): 'treehaul status' shows its state");
    }

    /** Returns whether a generation, 0 for none, is the newest of a transfer that still exists. */
    public boolean isNewest(int generation) throws IOException {
        try {
            return newest() == generation;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns whether only the creator of the transfer has begun generations: none, or the one that starts it. */
    public boolean isOnlyOfCreator() throws IOException {
        // An unreadable file is just being written.
        return isNewest(0) || isNewest(1) && reason().filter(why -> why != Reason.START).isEmpty();
    }

    private int make(int number, Reason reason, boolean trustsMounts) throws IOException {
        StateFile.empty()
                .with("reason", reason.name().toLowerCase(Locale.ROOT))
                .with("mounts", trustsMounts ? TRUSTED : "checked")
                .withEscaped("host", ThisProcess.host())
                .with("pid", ProcessHandle.current().pid())
                .with("time", Instant.now())
                .writeNew(directory.resolve(String.valueOf(number)));
        return number;
    }
}
