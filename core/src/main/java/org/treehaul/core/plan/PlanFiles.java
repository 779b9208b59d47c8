// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;

/** Where the files of a plan stand, and the letters in them. */
record PlanFiles(Path directory) {

    static final String MANIFEST = "THPM";
    static final String DIRECTORIES = "THPD";
    static final String CHUNKED = "THPC";
    static final String FAILURES = "THPF";

    // What a record begins with.
    static final int END = 0;
    static final int DIRECTORY = 1;
    static final int RECORD = 2;

    // Flags of an entry in a manifest.
    static final int HAS_GROUP = 1;
    static final int HAS_CHUNK = 2;

    // Flags of a directory.
    static final int HAS_TARGET = 1;
    static final int IS_INCOMPLETE = 2;

    Path header() {
        return directory.resolve("header");
    }

    Path batches() {
        return directory.resolve("batches");
    }

    Path manifests() {
        return directory.resolve("manifest");
    }

    Path manifest(int batch) {
        return manifests().resolve(String.valueOf(batch));
    }

    Path directories() {
        return directory.resolve("directories");
    }

    Path chunked() {
        return directory.resolve("chunked");
    }

    Path failures() {
        return directory.resolve("failures");
    }

    Path probes() {
        return directory.resolve("probes");
    }

    Path followed() {
        return directory.resolve("followed");
    }

    Path room() {
        return directory.resolve("room");
    }

    Path sealed() {
        return directory.resolve("sealed");
    }

    Path heartbeat() {
        return directory.resolve("heartbeat");
    }

    Path spool() {
        return directory.resolve("spool");
    }

    /** Returns the letter of a kind, as find(1) has it. */
    static char letter(EntryKind kind) {
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

    static char letter(EntryFailure.Kind kind) {
        return switch (kind) {
            case ERROR -> 'E';
            case VANISHED -> 'V';
            case CHANGED -> 'C';
            case CORRUPT -> 'X';
        };
    }

    static EntryFailure.Kind failure(int letter) {
        for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
            if (letter(kind) == letter) {
                return kind;
            }
        }
        throw new IllegalArgumentException("a failure of no known kind");
    }

    static Optional<EntryKind> kind(int letter) {
        for (EntryKind kind : EntryKind.values()) {
            if (letter(kind) == letter) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
