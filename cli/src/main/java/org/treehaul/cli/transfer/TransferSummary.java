// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import org.treehaul.cli.report.SlowEntries;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.transfer.operation.Operation;

/**
 * Describes a transfer for users: its operation and places, its times and rate, and the entries on which its workers
 * hang.
 *
 * @param status the transfer
 * @param now the current time, for transfers that have not ended
 */
public record TransferSummary(TransferStatus status, Instant now) {

    // Three heartbeats: a shorter silence may be one slow call.
    private static final Duration SILENT = Duration.ofSeconds(30);
    private static final int MOST_SLOW = 10;
    // Shorter ones would be shown as 0 s.
    private static final long LEAST_PAUSE = 500;

    /** Returns the operation and the places, such as {@code copy /data/run7 -> /archive/run7}. */
    public String what() {
        List<ByteString> sources = status.places().sources();
        String from = sources.isEmpty()
                ? ""
                : " " + sources.getFirst()
                        + (sources.size() == 1 ? "" : " and " + Text.count(sources.size() - 1L) + " more");
        return status.operation().name() + from
                + status.places().destination().map(destination -> " -> " + destination).orElse("");
    }

    /** Returns a note about a copy that has not ended, for a user who gives up the transfer. */
    Optional<String> unfinished() {
        boolean isFinished = status.state() == TransferStatus.State.COMPLETE
                || status.state() == TransferStatus.State.PARTIAL;
        if (!isFinished && status.operation() instanceof Operation.Move) {
            return Optional
                    .of("each entry is at its source or complete at its destination; the same 'treehaul mv' moves "
                            + "the rest");
        }
        return isFinished || !(status.operation() instanceof Operation.Copying)
                ? Optional.empty()
                : status.places()
                        .destination()
                        .map(copy -> "the copy in " + copy + " is not finished: new directories may have mode 0700 and "
                                + "other times than their sources; 'find DEST -type d -perm 0700' lists them, and "
                                + "'treehaul cp -aTu SOURCE DEST' completes the copy");
    }

    /** Returns when it began and ended, how long it took without pauses, and its mean rate. */
    public String when() {
        String elapsed = Text.duration(status.elapsed(now));
        String times = status.ended()
                .map(end -> "began " + Text.dateTime(status.began()) + ", ended " + Text.dateTime(end) + ", took "
                        + elapsed)
                .orElseGet(() -> "began " + Text.dateTime(status.began()) + ", " + elapsed + " so far");
        times += pauses();
        return times + rate();
    }

    /**
     * Returns the end of a sentence with the mean rate: of entries if it moves no data; empty if it is 0. Holes take no
     * time and do not count.
     */
    String rate() {
        long bytes = status.bytesPerSecond(now);
        long entries = status.entriesPerSecond(now);
        if (!status.movesData()) {
            return entries == 0 ? "" : ", " + Text.count(entries) + " entries/s";
        }
        boolean hasHoles = status.total(BatchStatus::dataDone) < status.total(BatchStatus::bytesDone);
        return bytes == 0 ? "" : ", " + Text.bytes(bytes) + "/s" + (hasHoles ? " without holes" : "");
    }

    /** Returns the end of a sentence about the time that the pauses took, empty if they do not matter. */
    String pauses() {
        return status.paused().toMillis() < LEAST_PAUSE ? "" : " without pauses of " + Text.duration(status.paused());
    }

    /** Returns the number of batches in each state, such as {@code batches: 12 done, 2 running}. */
    public String batches() {
        Map<BatchStatus.State, Long> counts = new EnumMap<>(BatchStatus.State.class);
        status.batches().forEach(batch -> counts.merge(batch.state(), 1L, Long::sum));
        return "batches: " + counts.entrySet()
                .stream()
                .map(state -> Text.count(state.getValue()) + " " + TransferReport.words(state.getKey()))
                .collect(Collectors.joining(", "));
    }

    /** Returns a line for each running batch whose worker reports an entry that takes long, the first ones only. */
    public List<String> slow() {
        List<String> lines = new ArrayList<>();
        int more = 0;
        for (BatchStatus batch : status.batches()) {
            String slow = slow(batch);
            if (!slow.isEmpty() && lines.size() < MOST_SLOW) {
                lines.add("batch " + batch.number() + (batch.host().isEmpty() ? "" : " on " + batch.host()) + ": "
                        + slow);
            } else if (!slow.isEmpty()) {
                more++;
            }
        }
        if (more > 0) {
            lines.add("and " + Text.count(more, "batch", "batches") + " more like these");
        }
        return lines;
    }

    private static String slow(BatchStatus batch) {
        WorkInProgress current = batch.current();
        if (batch.state() != BatchStatus.State.RUNNING || batch.reported().isEmpty() || current.entries().isEmpty()) {
            return "";
        }
        // All times are of the clock of the worker.
        String stalled = SlowEntries.stalled(current, batch.reported().get(), SILENT);
        return stalled.isEmpty() ? SlowEntries.oldest(current, batch.reported().get()) : stalled;
    }
}
