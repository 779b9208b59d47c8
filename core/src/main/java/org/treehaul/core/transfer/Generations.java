// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The generations of a transfer: files named by rising numbers, each made exclusively when the transfer is started,
 * resumed or cancelled. Workers and finishers of a generation that is not the newest stop. That a file is there counts;
 * what is in it is for people, but for whether mounts are trusted.
 */
public final class Generations {

    private static final String TRUSTED = "trusted";

    private final Path directory;

    Generations(Path directory) {
        this.directory = directory;
    }

    /** Why a generation began. */
    public enum Reason {
        /** The transfer began. */
        START,
        /** It goes on with what is missing. */
        RESUME,
        /** It is to go no further. */
        CANCEL
    }

    /** Returns the number of the newest generation, 0 before the first. */
    public int newest() throws IOException {
        int newest = 0;
        try (Listing files = Listing.of(directory)) {
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

    /**
     * Returns whether in the newest generation mounts are taken for right by what stands there, whatever its inodes.
     */
    boolean trustsMounts() throws IOException {
        return isForced(newest());
    }

    /** Returns the newest generation that somebody forced, 0 for none: workers of older ones may live. */
    int lastForced() throws IOException {
        int number = newest();
        while (number > 0 && !isForced(number)) {
            number--;
        }
        return number;
    }

    private boolean isForced(int number) throws IOException {
        return KeyFile.find(directory.resolve(String.valueOf(number))).filter(file -> {
            try {
                return file.text("mounts").equals(TRUSTED);
            } catch (IllegalArgumentException e) {
                return false;
            }
        }).isPresent();
    }

    /** Returns why the newest generation began, where that can be read. */
    public Optional<Reason> reason() throws IOException {
        int newest = newest();
        if (newest == 0) {
            return Optional.empty();
        }
        return KeyFile.find(directory.resolve(String.valueOf(newest))).flatMap(file -> {
            try {
                return Optional.of(Reason.valueOf(file.text("reason").toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    /**
     * Begins a generation, and returns its number. From now on the work of all earlier ones comes to its end. Of
     * several that do this at once each gets a number of its own.
     */
    public int raise(Reason reason) throws IOException {
        return raise(reason, false);
    }

    /**
     * As {@link #raise(Reason)}.
     *
     * @param trustsMounts whether somebody knows that source and destination are the right ones, though their inode
     *        numbers may be others than before
     */
    public int raise(Reason reason, boolean trustsMounts) throws IOException {
        while (true) {
            try {
                return make(newest() + 1, reason, trustsMounts);
            } catch (FileAlreadyExistsException e) {
                // Somebody else was first: the one after that.
            }
        }
    }

    /**
     * Begins the generation that follows one, for whoever decided by what stood there then.
     *
     * @param seen the newest generation at that time, 0 for none
     * @throws OvertakenException when another has begun one since; nothing is done
     */
    public int raiseAfter(int seen, Reason reason, boolean trustsMounts) throws IOException {
        requireNewest(seen);
        try {
            return make(seen + 1, reason, trustsMounts);
        } catch (FileAlreadyExistsException e) {
            throw overtaken(seen + 1);
        }
    }

    /** Fails with {@link OvertakenException} unless a generation, 0 for none, is the newest. */
    public void requireNewest(int generation) throws IOException {
        if (!isNewest(generation)) {
            throw overtaken(generation + 1);
        }
    }

    private static OvertakenException overtaken(int by) {
        return new OvertakenException("another command has resumed, cancelled or forgotten this transfer meanwhile "
                + "(generation " + by + "): 'treehaul status' tells how it stands");
    }

    /** Returns whether a generation, 0 for none, is the newest of a transfer that is not forgotten. */
    public boolean isNewest(int generation) throws IOException {
        try {
            return newest() == generation;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns whether nobody has begun a generation but whoever made the transfer, who may have started it. */
    public boolean isMakers() throws IOException {
        // One that cannot be read is just being written.
        return isNewest(0) || isNewest(1) && reason().filter(why -> why != Reason.START).isEmpty();
    }

    private int make(int number, Reason reason, boolean trustsMounts) throws IOException {
        KeyFile.empty()
                .with("reason", reason.name().toLowerCase(Locale.ROOT))
                .with("mounts", trustsMounts ? TRUSTED : "checked")
                .withEscaped("host", ThisProcess.host())
                .with("pid", ProcessHandle.current().pid())
                .with("time", Instant.now())
                .writeNew(directory.resolve(String.valueOf(number)));
        return number;
    }
}
