// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.staged.StagedEntry;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.tree.StageDrain;
import org.treehaul.schedulers.stage.tree.StageRepair;
import org.treehaul.schedulers.stage.tree.StageReports;
import org.treehaul.schedulers.stage.tree.StageServers;

/** The verbs of {@code treehaul stage} that look after copies and servers. */
final class StageCare {

    private final StageInput input;
    private final StageVerbs verbs;
    private final FileSystemCalls calls = Linux.calls();

    StageCare(StageInput input, StageVerbs verbs) {
        this.input = input;
        this.verbs = verbs;
    }

    ExitCode repair(StagedEntry staged) {
        return verbs.with(staged, false, true, (session, stage) -> {
            StageReports reports = StageVerbs.reports(session, staged);
            long[] count = {0};
            new StageRepair(calls, stage, input.common.threads, input.isDry, input.isDurable).run(staged.path(),
                    reports, built -> {
                        count[0]++;
                        print(session, built);
                    });
            boolean isComplete = !session.cancellation().isCancelled();
            ExitCode code = verbs.end(session, reports, isComplete, "read");
            if (!input.common.isQuiet() && session.json().isEmpty()) {
                session.screen()
                        .note((input.isDry ? "would build " : "built ") + Text.count(count[0], "copy", "copies"));
            }
            return code == ExitCode.DONE && input.isDry && count[0] > 0 ? ExitCode.DIFFERENT : code;
        });
    }

    private static void print(Session session, StageRepair.Built built) {
        StageVerbs.print(session,
                json -> json.begin("copy")
                        .path("path", built.path())
                        .number("segment", built.segment())
                        .text("server", built.server())
                        .text("target", built.target())
                        .text("problem", built.problem())
                        .end(),
                () -> built.path() + ": segment " + built.segment() + ", server " + built.server()
                        + (built.target().equals(built.server()) ? "" : " -> " + built.target()) + ": "
                        + built.problem());
    }

    ExitCode drain(StagedEntry staged, ByteString server) {
        return verbs.with(staged, false, true,
                (session, stage) -> input.isUndone
                        ? undo(session, stage, server.toString())
                        : input.isLost
                                ? lost(session, stage, staged, server.toString())
                                : drain(session, stage, staged, server.toString()));
    }

    private ExitCode undo(Session session, Stage stage, String server) throws StageException {
        new StageDrain(calls, stage, input.common.threads, input.isDurable).undo(server);
        if (!input.common.isQuiet() && session.json().isEmpty()) {
            session.screen()
                    .note("server " + ByteString.printable(server)
                            + " takes new segments; 'stage repair' builds copies that missed writes");
        }
        return session.end(Map.of(), true);
    }

    private ExitCode drain(Session session, Stage stage, StagedEntry staged, String server) throws StageException {
        StageReports reports = StageVerbs.reports(session, staged);
        boolean isDrained = new StageDrain(calls, stage, input.common.threads, input.isDurable).run(server, reports);
        ExitCode code = verbs.end(session, reports, !session.cancellation().isCancelled(), "moved");
        if (isDrained && !input.common.isQuiet() && session.json().isEmpty()) {
            session.screen()
                    .note("server " + ByteString.printable(server) + " is drained: its directory can be removed");
        }
        // Also if nothing was moved, because nothing was there.
        return isDrained && session.output().problem().isEmpty() ? ExitCode.DONE : code;
    }

    private ExitCode lost(Session session, Stage stage, StagedEntry staged, String server) throws StageException {
        StageReports reports = StageVerbs.reports(session, staged);
        long[] lost = {0};
        new StageDrain(calls, stage, input.common.threads, input.isDurable).lost(server, input.isForced, reports,
                file -> {
                    lost[0]++;
                    StageVerbs.printUnsaved(session, file, "lost: ");
                });
        ExitCode code = session.end(reports.failures(), true);
        if (!input.common.isQuiet() && session.json().isEmpty()) {
            session.screen()
                    .note("server " + ByteString.printable(server) + " is taken out: "
                            + Text.count(lost[0], "file is lost", "files are lost")
                            + "; 'stage repair' builds the copies of others");
        }
        return code == ExitCode.DONE && lost[0] > 0 ? ExitCode.DIFFERENT : code;
    }

    ExitCode servers(StagedEntry staged) {
        return verbs.with(staged, false, true, (session, stage) -> {
            verbs.addServers(stage);
            boolean[] isFailed = {false};
            new StageServers(calls, stage).run(session::isWanted, status -> {
                isFailed[0] |= status.problem() != null && status.server().state() == StageServer.State.ACTIVE;
                print(session, status);
            });
            ExitCode written = session.end(Map.of(), StageVerbs.isRead(session));
            return written == ExitCode.DONE && isFailed[0] ? ExitCode.DIFFERENT : written;
        });
    }

    private static void print(Session session, StageServers.Status status) {
        String state = StageVerbs.state(status.server());
        StageException problem = status.problem();
        StageVerbs.print(session, json -> {
            json.begin("server")
                    .text("name", status.server().name())
                    .text("state", state)
                    .text("host", status.server().host())
                    .path("directory", status.server().directory())
                    .text("address", status.server().address());
            if (problem == null) {
                json.number("segments", status.segments()).number("bytes", status.bytes());
                status.free().ifPresent(free -> json.number("free", free));
            } else {
                json.text("problem", String.valueOf(problem.getMessage()));
            }
            json.end();
        }, () -> String.format(Locale.ROOT, "%-8s %-8s %s", status.server().name(), state, problem == null
                ? Text.count(status.segments(), "segment", "segments") + ", " + Text.bytes(status.bytes())
                        + (status.free().isPresent() ? ", " + Text.bytes(status.free().getAsLong()) + " free" : "")
                        + "  " + place(status)
                : problem.getMessage()));
    }

    private static String place(StageServers.Status status) {
        return status.server().address().isEmpty()
                ? status.server().directory().toString()
                : ByteString.printable(status.server().address()) + ":" + status.server().directory();
    }

    ExitCode unsaved(StagedEntry staged) {
        return verbs.with(staged, false, true, (session, stage) -> {
            if (staged.path().length() > 0 && !stage.catalogue().isAnythingAt(staged.path())) {
                session.screen().error(staged.given() + ": there is no such entry in the stage");
                return ExitCode.TROUBLE;
            }
            long[] count = {0};
            try (Stream<StagedFile> all = stage.catalogue().unsaved(staged.path())) {
                all.takeWhile(entry -> session.isWanted()).forEach(entry -> {
                    count[0]++;
                    StageVerbs.printUnsaved(session, entry, "");
                });
            }
            ExitCode code = session.end(Map.of(), StageVerbs.isRead(session));
            if (!input.common.isQuiet() && session.json().isEmpty() && code != ExitCode.INTERRUPTED) {
                session.screen()
                        .note(count[0] == 0
                                ? "everything is saved"
                                : Text.count(count[0], "entry is", "entries are") + " in the stage only");
            }
            return code == ExitCode.DONE && count[0] > 0 ? ExitCode.DIFFERENT : code;
        });
    }
}
