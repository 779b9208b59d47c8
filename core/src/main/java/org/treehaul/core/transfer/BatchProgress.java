// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * How far an attempt is, as its worker last told. Counts are of the whole batch, earlier attempts included.
 *
 * @param generation of the attempt
 * @param state how it ended, or that it did not
 * @param started when it began, milliseconds since 1970
 * @param told when this was written
 * @param entries done
 * @param files regular files done
 * @param bytes of data done
 * @param failed entries that failed
 * @param changed entries that were copied as they are now, not as they were planned
 * @param newEntries those of the entries that this attempt did
 * @param newBytes bytes that this attempt moved
 * @param host where it runs
 * @param job its job, as the scheduler names it, or empty
 */
record BatchProgress(int generation, State state, long started, long told, long entries, long files, long bytes,
        long failed, long changed, long newEntries, long newBytes, String host, String job) {

    /** Whether it goes on. */
    enum State {
        RUNNING,
        COMPLETE,
        STOPPED,
        GAVE_UP;

        static State of(JournalRecord.Ending ending) {
            return switch (ending) {
                case COMPLETE -> COMPLETE;
                case STOPPED -> STOPPED;
                case GAVE_UP -> GAVE_UP;
            };
        }
    }

    void write(Path file) throws IOException {
        KeyFile.empty()
                .with("generation", generation)
                .with("state", state.name().toLowerCase(Locale.ROOT))
                .with("started", started)
                .with("told", told)
                .with("entries", entries)
                .with("files", files)
                .with("bytes", bytes)
                .with("failed", failed)
                .with("changed", changed)
                .with("new-entries", newEntries)
                .with("new-bytes", newBytes)
                .withEscaped("host", host)
                .withEscaped("job", job)
                .replace(file, false);
    }

    /** Reads what was told; nothing where it cannot be read, for it is only to be shown. */
    static Optional<BatchProgress> read(Path file) throws IOException {
        return KeyFile.find(file).flatMap(f -> {
            try {
                return Optional.of(new BatchProgress((int) f.number("generation"),
                        State.valueOf(f.text("state").toUpperCase(Locale.ROOT)), f.number("started"), f.number("told"),
                        f.number("entries"), f.number("files"), f.number("bytes"), f.number("failed"),
                        f.number("changed"), f.number("new-entries"), f.number("new-bytes"), f.text("host"),
                        f.text("job")));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }
}
