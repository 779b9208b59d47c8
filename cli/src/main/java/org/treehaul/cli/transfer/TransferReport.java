// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.schedulers.JobFiles;

/** Formats the state of a transfer. */
final class TransferReport {

    private TransferReport() {}

    /** Returns whether a transfer may progress without further action of the user. */
    static boolean isActive(TransferStatus.State state) {
        return state.isActive();
    }

    /** Returns the transfer as one line. */
    static String line(TransferStatus status) {
        StringBuilder line = new StringBuilder(status.id().text()).append("  ").append(words(status.state()));
        if (status.batches().isEmpty()) {
            return line.toString();
        }
        line.append("; ")
                .append(share(status.percent()))
                .append(status.movesData()
                        ? amounts(status.total(BatchStatus::filesDone), status.total(BatchStatus::files),
                                status.total(BatchStatus::bytesDone), status.total(BatchStatus::bytes))
                        : entries(status.total(BatchStatus::entriesDone), status.total(BatchStatus::entries)))
                .append("; batches ")
                .append(of(status.batches()
                        .stream()
                        .filter(batch -> batch.state() == BatchStatus.State.DONE
                                || batch.state() == BatchStatus.State.FAILED)
                        .count(), status.batches().size()));
        long failed = status.failed();
        if (failed > 0) {
            line.append("; errors ").append(Text.count(failed));
        }
        status.result()
                .filter(result -> result.unplanned() > 0)
                .ifPresent(result -> line.append("; ")
                        .append(Text.count(result.unplanned()))
                        .append(" more that were not planned"));
        status.result()
                .filter(result -> result.removed() > 0)
                .ifPresent(result -> line.append("; removed ").append(Text.count(result.removed())));
        if (status.state() == TransferStatus.State.WAITING && status.isTried()) {
            line.append("; all batches are done, but finishing has not started");
        } else if (isActive(status.state())) {
            status.rest().ifPresent(rest -> line.append("; ").append(Text.duration(rest.toSeconds())).append(" left"));
        }
        return line.toString();
    }

    /** Returns the transfer as a line that fits on most terminals, without what matters only to programs. */
    static String brief(TransferStatus status, Instant now) {
        StringBuilder line = new StringBuilder(status.id().text()).append("  ").append(words(status.state()));
        if (!status.batches().isEmpty()) {
            line.append("; ")
                    .append(status.movesData()
                            ? brief(status.total(BatchStatus::filesDone), status.total(BatchStatus::files), "file",
                                    "files") + ", " + Text.bytes(status.total(BatchStatus::bytesDone))
                            : brief(status.total(BatchStatus::entriesDone), status.total(BatchStatus::entries), "entry",
                                    "entries"));
            if (status.failed() > 0) {
                line.append(", ").append(Text.count(status.failed(), "error", "errors"));
            }
            line.append("; ").append(Text.duration(status.elapsed(now)));
            if (status.state().isActive()) {
                line.append(" so far");
                status.rest()
                        .ifPresent(rest -> line.append(", ").append(Text.duration(rest.toSeconds())).append(" left"));
            }
        }
        return line.append("; ").append(new TransferSummary(status, now).what()).toString();
    }

    private static String brief(long done, long all, String one, String several) {
        return (done == all ? "" : Text.count(done) + " of ") + Text.count(all, one, several);
    }

    /**
     * Returns why a list of failures may not be all, empty if it is: entries that were not tried have no failures, so
     * that a list without failures must not look like success.
     *
     * @param hasFailures whether the list has at least one
     */
    static String notDone(TransferStatus status, boolean hasFailures) {
        if (status.state() == TransferStatus.State.COMPLETE
                || status.state() == TransferStatus.State.PARTIAL && hasFailures) {
            return "";
        }
        String reason = status.state() == TransferStatus.State.INCOMPLETE
                ? status.result().map(TransferResult::problem).orElse("")
                : "";
        return reason.isEmpty()
                ? status.id() + " is " + words(status.state())
                        + ", so entries may be missing that are not listed here: 'treehaul status " + status.id()
                        + "' shows how far it got"
                : reason;
    }

    /**
     * Returns the progress of a batch.
     *
     * @param movesData whether its transfer moves data
     */
    static String amounts(BatchStatus batch, boolean movesData) {
        String done = movesData
                ? share(batch.percent()) + amounts(batch.filesDone(), batch.files(), batch.bytesDone(), batch.bytes())
                : share(100.0 * batch.entriesDone() / Math.max(1, batch.entries()))
                        + entries(batch.entriesDone(), batch.entries());
        return done + "; errors " + Text.count(batch.failed());
    }

    private static String amounts(long filesDone, long files, long bytesDone, long bytes) {
        return "; files " + of(filesDone, files) + "; " + Text.bytes(bytesDone) + " of " + Text.bytes(bytes);
    }

    private static String entries(long done, long all) {
        return "; entries " + of(done, all);
    }

    /**
     * Returns where the output of ended jobs is, and the likely problem if there is none.
     *
     * @param silent the jobs that have left no output
     * @param failed a job whose commands before the work failed
     */
    static String output(TransferDirectory transfer, List<String> silent, Optional<JobFiles.FailedPre> failed) {
        String where = failed
                .map(job -> "the commands of --pre returned " + job.code()
                        + ", so the work of a job did not begin; its output is in " + job.log())
                .orElse("the output of the jobs is in " + transfer.log());
        return silent.isEmpty()
                ? where
                : where + "; there is none of " + String.join(", ", silent)
                        + ": they ended before they started, or on nodes that cannot see " + transfer.path()
                        + " or cannot write to it. All nodes must share it under this path: if they do not, move "
                        + transfer.stateDirectory() + " to a shared place, and resume with --state-dir";
    }

    private static String of(long done, long all) {
        return Text.count(done) + " of " + Text.count(all);
    }

    // An incomplete share must not look complete.
    private static String share(double percent) {
        return percent >= 100 ? "100%" : Text.tenths(Math.floor(percent * 10) / 10) + "%";
    }

    /** Returns a state as text for users. */
    static String words(Enum<?> value) {
        return word(value).replace('_', ' ');
    }

    /** Returns a state as programs read it. */
    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Writes the transfer as a line of JSON. */
    static void json(JsonLines json, TransferStatus status, Instant now, boolean withBatches, Optional<JobsLeft> jobs) {
        json.begin("transfer")
                .text("id", status.id().text())
                .text("kind", status.operation().name())
                .text("state", word(status.state()))
                .text("command", status.commandLine())
                .text("created", status.created().toString())
                .text("began", status.began().toString());
        status.ended().ifPresent(end -> json.text("ended", end.toString()));
        json.number("seconds", status.elapsed(now).toSeconds())
                .number("paused_seconds", status.paused().toSeconds())
                .number("bytes_per_second", status.bytesPerSecond(now))
                .number("entries_per_second", status.entriesPerSecond(now))
                .list("sources");
        for (ByteString source : status.places().sources()) {
            json.element().path("path", source).endObject();
        }
        json.endList();
        status.places().destination().ifPresent(destination -> json.path("destination", destination));
        json.number("generation", status.generation()).flag("planned", status.isPlanned());
        amounts(json, status.total(BatchStatus::entries), status.total(BatchStatus::entriesDone),
                status.total(BatchStatus::files), status.total(BatchStatus::filesDone),
                status.total(BatchStatus::bytes), status.total(BatchStatus::bytesDone), status.total(BatchStatus::data),
                status.total(BatchStatus::dataDone), status.failed());
        json.number("percent", (long) status.percent());
        status.rest().ifPresent(rest -> json.number("seconds_left", rest.toSeconds()));
        status.result().ifPresent(result -> {
            json.object("result")
                    .text("state", word(result.state()))
                    .number("done", result.done())
                    .number("skipped", result.skipped())
                    .number("changed", result.changed())
                    .number("unplanned", result.unplanned())
                    .number("removed", result.removed())
                    .number("failures", result.failed())
                    .number("open_batches", result.openBatches())
                    .text("problem", result.problem())
                    .endObject();
        });
        jobs.ifPresent(left -> left.json(json));
        if (withBatches) {
            json.list("batches");
            for (BatchStatus batch : status.batches()) {
                json.element()
                        .number("number", batch.number())
                        .text("state", word(batch.state()))
                        .number("attempts", batch.attempts());
                amounts(json, batch.entries(), batch.entriesDone(), batch.files(), batch.filesDone(), batch.bytes(),
                        batch.bytesDone(), batch.data(), batch.dataDone(), batch.failed());
                json.text("host", batch.host()).text("job", batch.job());
                batch.started().ifPresent(time -> json.text("started", time.toString()));
                batch.reported().ifPresent(time -> json.text("told", time.toString()));
                current(json, batch.current());
                json.endObject();
            }
            json.endList();
        }
        json.end();
    }

    private static void current(JsonLines json, WorkInProgress current) {
        current.lastProgress().ifPresent(time -> json.text("moved", time.toString()));
        if (!current.entries().isEmpty()) {
            json.list("in_progress");
            current.entries()
                    .forEach(entry -> json.element()
                            .text("path", entry.path())
                            .text("since", entry.since().toString())
                            .endObject());
            json.endList();
        }
    }

    /**
     * Returns the word for a transfer whose state cannot be read: it may become readable if a server is away, and
     * another version of this program may be able to read it.
     */
    static String word(IOException problem) {
        if (StateDirectory.isOfOtherVersion(problem)) {
            return "unsupported";
        }
        return StateDirectory.isUnreadable(problem) ? "unreadable" : "damaged";
    }

    /** Writes a transfer whose state cannot be read as a line of JSON. */
    static void json(JsonLines json, TransferId id, IOException problem) {
        json.begin("transfer")
                .text("id", id.text())
                .text("state", word(problem))
                .text("problem", StateDirectory.reason(problem))
                .end();
    }

    private static void amounts(JsonLines json, long entries, long entriesDone, long files, long filesDone, long bytes,
            long bytesDone, long data, long dataDone, long failed) {
        json.number("entries", entries)
                .number("entries_done", entriesDone)
                .number("files", files)
                .number("files_done", filesDone)
                .number("bytes", bytes)
                .number("bytes_done", bytesDone)
                .number("data", data)
                .number("data_done", dataDone)
                .number("failures", failed);
    }
}
