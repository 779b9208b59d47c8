// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.state.StateFile;

/**
 * The progress of an attempt, as its worker last wrote it. Counts cover the whole batch, including earlier attempts.
 *
 * @param generation the generation of the attempt
 * @param state whether it is running, or how it ended
 * @param started when it began, in milliseconds since 1970
 * @param reported when this was written, in milliseconds since 1970
 * @param entries entries done
 * @param files regular files done
 * @param bytes sum of the sizes of the files done
 * @param data how many of these bytes had to be read, according to the plan
 * @param failed entries that failed
 * @param changed entries that were copied in a newer state than planned
 * @param newEntries entries done by this attempt
 * @param newBytes sum of the sizes of these
 * @param newData how many of these bytes had to be read
 * @param host the host that runs it
 * @param job its job, as the scheduler names it, or empty
 * @param current its entries in progress
 * @param slowest the files of this attempt that took the longest time, the slowest first
 */
public record BatchProgress(int generation, State state, long started, long reported, long entries, long files,
        long bytes, long data, long failed, long changed, long newEntries, long newBytes, long newData, String host,
        String job, WorkInProgress current, List<SlowFile> slowest) {

    static final String MOVING = "moving";
    static final String MOVED = "moved";
    static final String BUSY = "busy-";
    static final String SINCE = "-since";
    static final String SLOW = "slow-";
    static final String BYTES = "-bytes";
    static final String MILLIS = "-ms";

    /** Creates a value. */
    public BatchProgress {
        slowest = List.copyOf(slowest);
    }

    /** State of the attempt. */
    public enum State {
        RUNNING,
        COMPLETE,
        STOPPED,
        GAVE_UP;

        public static State of(JournalRecord.Ending ending) {
            return switch (ending) {
                case COMPLETE -> COMPLETE;
                case STOPPED -> STOPPED;
                case GAVE_UP -> GAVE_UP;
            };
        }
    }

    public void write(Path file) throws IOException {
        StateFile lines = StateFile.empty()
                .with("generation", generation)
                .with("state", state.name().toLowerCase(Locale.ROOT))
                .with("started", started)
                .with("told", reported)
                .with("entries", entries)
                .with("files", files)
                .with("bytes", bytes)
                .with("data", data)
                .with("failed", failed)
                .with("changed", changed)
                .with("new-entries", newEntries)
                .with("new-bytes", newBytes)
                .with("new-data", newData)
                .withEscaped("host", host)
                .withEscaped("job", job)
                .with(MOVING, current.bytes());
        if (current.lastProgress().isPresent()) {
            lines = lines.with(MOVED, current.lastProgress().get().toEpochMilli());
        }
        for (int i = 0; i < current.entries().size(); i++) {
            WorkInProgress.Entry entry = current.entries().get(i);
            lines = lines.with(BUSY + i, ByteString.printable(entry.path()))
                    .with(BUSY + i + SINCE, entry.since().toEpochMilli());
        }
        for (int i = 0; i < slowest.size(); i++) {
            SlowFile slow = slowest.get(i);
            lines = lines.with(SLOW + i, ByteString.printable(slow.path()))
                    .with(SLOW + i + BYTES, slow.bytes())
                    .with(SLOW + i + MILLIS, slow.time().toMillis());
        }
        lines.replace(file, false);
    }

    /** Reads a progress file; empty if it is missing or damaged, because it is only used for display. */
    public static Optional<BatchProgress> read(Path file) throws IOException {
        return StateFile.find(file).flatMap(f -> {
            try {
                return Optional.of(new BatchProgress((int) f.number("generation"),
                        State.valueOf(f.text("state").toUpperCase(Locale.ROOT)), f.number("started"), f.number("told"),
                        f.number("entries"), f.number("files"), f.number("bytes"), data(f, "data", "bytes"),
                        f.number("failed"), f.number("changed"), f.number("new-entries"), f.number("new-bytes"),
                        data(f, "new-data", "new-bytes"), f.text("host"), f.text("job"), current(f), slowest(f)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        });
    }

    // Older workers do not record it.
    private static WorkInProgress current(StateFile file) {
        List<WorkInProgress.Entry> entries = new ArrayList<>();
        for (int i = 0; i < WorkInProgress.MOST && !file.text(BUSY + i).isEmpty(); i++) {
            entries.add(new WorkInProgress.Entry(file.text(BUSY + i), time(file, BUSY + i + SINCE)));
        }
        return new WorkInProgress(file.number(MOVING),
                file.text(MOVED).isEmpty() ? Optional.empty() : Optional.of(time(file, MOVED)), entries);
    }

    private static List<SlowFile> slowest(StateFile file) {
        List<SlowFile> files = new ArrayList<>();
        for (int i = 0; i < SlowFile.MOST && !file.text(SLOW + i).isEmpty(); i++) {
            files.add(new SlowFile(file.text(SLOW + i), file.number(SLOW + i + BYTES),
                    Duration.ofMillis(file.number(SLOW + i + MILLIS))));
        }
        return files;
    }

    private static Instant time(StateFile file, String key) {
        return Instant.ofEpochMilli(file.number(key));
    }

    // Older workers do not record holes.
    private static long data(StateFile file, String key, String older) {
        return file.number(file.text(key).isEmpty() ? older : key);
    }
}
