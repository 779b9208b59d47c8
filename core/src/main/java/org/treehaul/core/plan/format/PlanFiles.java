// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;

/** The paths of the files of a plan, and the codes used in them. */
public record PlanFiles(Path directory) {

    static final String MANIFEST = "THPM";
    public static final String DIRECTORIES = "THPD";
    public static final String CHUNKED = "THPC";
    public static final String FAILURES = "THPF";

    // First byte of a record.
    static final int END = 0;
    static final int DIRECTORY = 1;
    static final int RECORD = 2;

    // Flags of a manifest entry.
    static final int HAS_GROUP = 1;
    static final int HAS_CHUNK = 2;
    static final int HAS_DATA = 4;
    static final int HAS_CHANGE_TIME = 8;

    // Flags of a directory.
    static final int HAS_TARGET = 1;
    static final int IS_INCOMPLETE = 2;
    static final int HAS_IDENTITY = 4;
    static final int HAS_RIGHTS = 8;

    // Most entries are of this kind.
    private static final Optional<EntryKind> REGULAR = Optional.of(EntryKind.REGULAR);

    public Path header() {
        return directory.resolve("header");
    }

    public Path batches() {
        return directory.resolve("batches");
    }

    public Path manifests() {
        return directory.resolve("manifest");
    }

    public Path manifest(int batch) {
        return manifests().resolve(String.valueOf(batch));
    }

    public Path directories() {
        return directory.resolve("directories");
    }

    public Path chunked() {
        return directory.resolve("chunked");
    }

    public Path failures() {
        return directory.resolve("failures");
    }

    public Path probes() {
        return directory.resolve("probes");
    }

    public Path followed() {
        return directory.resolve("followed");
    }

    public Path room() {
        return directory.resolve("room");
    }

    public Path servers() {
        return directory.resolve("servers");
    }

    public Path sealed() {
        return directory.resolve("sealed");
    }

    public Path heartbeat() {
        return directory.resolve("heartbeat");
    }

    public Path spool() {
        return directory.resolve("spool");
    }

    /** Returns the letter for a kind, as in {@code find -type}. */
    public static char letter(EntryKind kind) {
        return switch (kind) {
            case REGULAR -> 'f';
            case DIRECTORY -> 'd';
            case SYMLINK -> 'l';
            case FIFO -> 'p';
            case SOCKET -> 's';
            case BLOCK -> 'b';
            case CHARACTER -> 'c';
        };
    }

    /** Returns the letter of a kind of failure. */
    public static char letter(EntryFailure.Kind kind) {
        return switch (kind) {
            case ERROR -> 'E';
            case VANISHED -> 'V';
            case CHANGED -> 'C';
            case CORRUPT -> 'X';
        };
    }

    /**
     * Returns the kind of failure of a letter.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static EntryFailure.Kind failure(int letter) {
        for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
            if (letter(kind) == letter) {
                return kind;
            }
        }
        throw new IllegalArgumentException("a failure of unknown kind");
    }

    /** Returns the kind of entry of a letter; empty if there is none. */
    public static Optional<EntryKind> kind(int letter) {
        return switch (letter) {
            case 'f' -> REGULAR;
            case 'd' -> Optional.of(EntryKind.DIRECTORY);
            case 'l' -> Optional.of(EntryKind.SYMLINK);
            case 'p' -> Optional.of(EntryKind.FIFO);
            case 's' -> Optional.of(EntryKind.SOCKET);
            case 'b' -> Optional.of(EntryKind.BLOCK);
            case 'c' -> Optional.of(EntryKind.CHARACTER);
            default -> Optional.empty();
        };
    }
}
