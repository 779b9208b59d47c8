// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.cli.staged.StagedEntry;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.tree.StageCheck;
import org.treehaul.schedulers.stage.tree.StageFinding;
import org.treehaul.schedulers.stage.tree.StageIn;
import org.treehaul.schedulers.stage.tree.StageInOptions;
import org.treehaul.schedulers.stage.tree.StageOut;
import org.treehaul.schedulers.stage.tree.StageRemove;
import org.treehaul.schedulers.stage.tree.StageReports;
import org.treehaul.schedulers.stage.tree.StageVerify;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.ParameterException;

/** The work of {@code treehaul stage}, and its reports. */
final class StageVerbs {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final StageInput input;
    private final FileSystemCalls calls = Linux.calls();

    StageVerbs(StageInput input) {
        this.input = input;
    }

    /** Work with a stage that is open. */
    interface Work {
        ExitCode run(Session session, Stage stage) throws StageException, SystemCallException;
    }

    ExitCode with(StagedEntry staged, boolean isMade, boolean printsEntries, Work work) {
        try (Session session = Session.begin(input.common, printsEntries); StageAccess access = input.access()) {
            try (Stage stage = open(access, staged.stage(), isMade)) {
                return work.run(session, stage);
            } catch (StageException | SystemCallException e) {
                session.screen().error(String.valueOf(e.getMessage()));
                return ExitCode.TROUBLE;
            } catch (SpaceException e) {
                session.screen().error(access.explain(e));
                return ExitCode.TROUBLE;
            }
        }
    }

    private Stage open(StageAccess access, String name, boolean isMade) throws StageException {
        input.addresses().ifPresent(servers -> access.requireSecret());
        // Before the catalogue: a secret that cannot be read leaves no catalogue behind.
        SegmentsOpener opener = access.opener(calls);
        if (!isMade) {
            return access.open(name, opener, input.common.threads);
        }
        SpaceUri space = input.spaceToCreate();
        if (input.directories().isEmpty() && input.addresses().isEmpty() && !TupleSpaces.exists(space)) {
            // A misspelt --space leaves no catalogue behind.
            throw noServers(name, List.of());
        }
        return Stage.open(Catalogue.open(space, name), opener, input.common.threads);
    }

    static StageReports reports(Session session, StagedEntry staged) {
        boolean isTop = staged.given().length() == staged.stage().length() + 1;
        return new StageReports(staged.given(), isTop, session, session.progress(), session.cancellation());
    }

    ExitCode in(ByteString source, StagedEntry target) {
        return with(target, true, false, (session, stage) -> {
            addServers(stage);
            List<String> servers = stage.catalogue().activeServers();
            if (servers.isEmpty()) {
                throw noServers(target.stage(), stage.catalogue().servers());
            }
            StageInOptions options = input.options(servers);
            StageReports reports = new StageReports(source, session, session.progress(), session.cancellation());
            boolean isComplete = new StageIn(calls, stage, options).run(Root.of(source), target.path(), reports);
            return end(session, reports, isComplete, "staged");
        });
    }

    private ParameterException noServers(String stage, List<StageServer> all) {
        String states = all.stream()
                .map(server -> server.name() + " is " + state(server))
                .collect(Collectors.joining(", "));
        return input.common.usage(states.isEmpty()
                ? "the stage " + stage
                        + " has no servers yet: name directories for it with --directories DIR,DIR, or servers with --add-servers HOST:PORT,HOST:PORT"
                : "no server of the stage " + stage + " takes new segments (" + states
                        + "): 'treehaul stage drain --undo' takes one back, --directories and --add-servers add others");
    }

    static String state(StageServer server) {
        return server.state().name().toLowerCase(Locale.ROOT);
    }

    void addServers(Stage stage) throws StageException {
        LocalServers.add(calls, stage.catalogue(), input.directories());
        if (input.addresses().isPresent()) {
            input.access().add(stage.catalogue(), input.addresses().get());
        }
    }

    ExitCode out(StagedEntry source, ByteString target) {
        if (target.length() == 0) {
            throw input.common.usage("the path DEST is empty; use '.' for the working directory");
        }
        return with(source, false, false, (session, stage) -> {
            StageReports reports = reports(session, source);
            try {
                boolean isComplete = new StageOut(calls, stage, input.common.threads, input.isDurable)
                        .run(source.path(), target, reports);
                return end(session, reports, isComplete, "copied");
            } catch (SystemCallException e) {
                throw new StageException(target.toString(), e.operation(), e.errno(), e);
            }
        });
    }

    ExitCode end(Session session, StageReports reports, boolean isComplete, String done) {
        return end(session, reports.failures(), isComplete, done);
    }

    private ExitCode end(Session session, Map<EntryFailure.Kind, Long> failures, boolean isComplete, String done) {
        Progress.Snapshot counts = session.progress().snapshot();
        session.summarize(counts, isComplete);
        ExitCode code = session.end(failures, isComplete).ifAny(counts.entries() + counts.skipped());
        if (!input.common.isQuiet() && session.json().isEmpty()) {
            session.screen()
                    .note(done + " " + Text.count(counts.entries(), "entry", "entries") + ", "
                            + Text.bytes(counts.bytes())
                            + (counts.skipped() == 0
                                    ? ""
                                    : "; " + Text.count(counts.skipped()) + " were there already"));
        }
        return code;
    }

    ExitCode ls(StagedEntry staged) {
        return with(staged, false, true, (session, stage) -> {
            boolean[] isEmpty = {true};
            try (Stream<StagedFile> all = stage.catalogue().below(staged.path(), false)) {
                all.takeWhile(entry -> session.isWanted()).forEach(entry -> {
                    isEmpty[0] = false;
                    print(session, entry);
                });
            }
            if (isEmpty[0] && staged.path().length() > 0 && session.isWanted()) {
                session.screen().error(staged.given() + ": there is no such entry in the stage");
                return ExitCode.TROUBLE;
            }
            return session.end(Map.of(), isRead(session));
        });
    }

    /** Prints the lines so far; returns whether all of them have a reader, and none was left out. */
    static boolean isRead(Session session) {
        session.flush();
        return session.isWanted();
    }

    /** Prints an object if JSON is requested, else a line. Progress and failures of other threads come between. */
    static void print(Session session, Consumer<JsonLines> object, Supplier<String> line) {
        session.json().ifPresentOrElse(json -> {
            synchronized (json) {
                object.accept(json);
            }
        }, () -> session.output().line(line.get()));
    }

    private void print(Session session, StagedFile entry) {
        print(session, json -> {
            json.begin("staged")
                    .path("path", entry.path())
                    .text("kind", entry.kind().label())
                    .number("size", entry.size())
                    .number("mode", entry.mode())
                    .text("mtime", entry.mtime().toString());
            if (entry.kind() == EntryKind.REGULAR) {
                json.text("servers", entry.servers())
                        .number("segments", entry.segments())
                        .number("stripe", entry.stripe())
                        .number("copies", entry.copies());
                if (!entry.stale().isEmpty()) {
                    json.text("stale", entry.stale());
                }
            }
            json.flag("saved", entry.isSaved());
            json.end();
        }, () -> input.isLong ? longLine(entry) : entry.path().toString());
    }

    // Java knows fewer years than file systems, and does not print the first and the last of them.
    private static String time(long seconds) {
        long year = 86_400 * 366L;
        return seconds < Instant.MIN.getEpochSecond() + year || seconds > Instant.MAX.getEpochSecond() - year
                ? Long.toString(seconds)
                : TIME.format(Instant.ofEpochSecond(seconds));
    }

    static String longLine(StagedFile entry) {
        return String.format(Locale.ROOT, "%-9s %04o %12d %s %s%s", entry.kind().label(), entry.mode(), entry.size(),
                time(entry.mtimeSeconds()), entry.path(),
                entry.kind() == EntryKind.REGULAR
                        ? "  " + entry.segments() + " x " + Text.bytes(entry.stripe()) + " on " + entry.servers()
                                + (entry.copies() == 1 ? "" : ", " + entry.copies() + " copies")
                                + (entry.stale().isEmpty()
                                        ? ""
                                        : (entry.incomplete().isEmpty() ? ", stale: " : ", incomplete: ")
                                                + entry.stale())
                        : entry.target() == null ? "" : " -> " + entry.target());
    }

    ExitCode rm(List<StagedEntry> all) {
        String first = all.getFirst().stage();
        if (all.stream().anyMatch(one -> !one.stage().equals(first))) {
            throw input.common.usage("rm removes entries of one stage at a time");
        }
        return with(all.getFirst(), false, false, (session, stage) -> {
            for (StagedEntry one : all) {
                try {
                    new StageRemove(stage, input.common.threads, entry -> printUnsaved(session, entry)).run(one.path(),
                            input.isRecursive, reports(session, one));
                } catch (StageException e) {
                    session.progress().entryFailed();
                    session.onEvent(new Event.Failed(new EntryFailure(EntryFailure.Kind.ERROR, one.given(),
                            TreePath.root(), e.operation(), e.errno())));
                }
            }
            return end(session, session.problems().counts(), !session.cancellation().isCancelled(), "removed");
        });
    }

    // An entry that was in the stage only is lost.
    private void printUnsaved(Session session, StagedFile entry) {
        if (!input.common.isQuiet()) {
            printUnsaved(session, entry, "lost: ");
        }
    }

    static void printUnsaved(Session session, StagedFile entry, String before) {
        print(session,
                json -> json.begin("unsaved")
                        .path("path", entry.path())
                        .text("kind", entry.kind().label())
                        .number("size", entry.size())
                        .end(),
                () -> before + entry.path());
    }

    ExitCode verify(StagedEntry staged) {
        return with(staged, false, false, (session, stage) -> {
            StageReports reports = reports(session, staged);
            long unknown = new StageVerify(calls, stage, input.common.threads).run(staged.path(), reports);
            ExitCode code = end(session, reports, !session.cancellation().isCancelled(), "read");
            if (unknown > 0 && !input.common.isQuiet()) {
                session.screen()
                        .note(Text.bytes(unknown) + " have no checksum: holes, or stripes that were written in parts");
            }
            return code;
        });
    }

    ExitCode check(StagedEntry staged) {
        return with(staged, false, true, (session, stage) -> {
            long[] counts = new long[3];
            StageReports reports = reports(session, staged);
            new StageCheck(stage, input.common.threads, finding -> {
                counts[finding.isLoss() ? 0 : finding.isCopy() ? 2 : 1]++;
                print(session, finding);
                if (!input.isCleaned && !session.isWanted()) {
                    session.cancellation().cancel();
                }
            }, input.isCleaned, reports).run();
            long losses = counts[0];
            long rests = counts[1];
            long copies = counts[2];
            ExitCode written = session.end(reports.failures(), isRead(session));
            boolean isEqual = losses + rests + copies == 0;
            if (!input.common.isQuiet() && written != ExitCode.INTERRUPTED && (written == ExitCode.DONE || !isEqual)) {
                session.screen()
                        .note(isEqual
                                ? "the catalogue and the servers agree"
                                : Text.count(losses, "loss", "losses") + ", "
                                        + (copies == 0
                                                ? ""
                                                : Text.count(copies, "copy", "copies")
                                                        + " to build, which 'stage repair' does, ")
                                        + Text.count(rests, "segment without a file", "segments without a file")
                                        + (rests == 0 ? "" : input.isCleaned ? ", removed" : "; --clean removes them"));
            }
            boolean isAnyLeft = losses + copies > 0 || rests > 0 && !input.isCleaned;
            return written == ExitCode.DONE && isAnyLeft ? ExitCode.DIFFERENT : written;
        });
    }

    private static void print(Session session, StageFinding finding) {
        String kind = finding.kind().name().toLowerCase(Locale.ROOT);
        print(session, json -> {
            json.begin("finding").text("kind", kind).text("server", finding.server());
            if (finding.kind() == StageFinding.Kind.UNREACHABLE) {
                json.text("problem", finding.path().toString());
            } else {
                json.text("segment", finding.segment()).path("path", finding.path()).number("bytes", finding.bytes());
                if (finding.isRepairable()) {
                    json.flag("repairable", true);
                }
            }
            json.end();
        }, () -> finding.kind() == StageFinding.Kind.UNREACHABLE
                ? kind + " server " + finding.server() + ": " + finding.path()
                : kind + " segment " + finding.segment() + " on server " + finding.server() + ", "
                        + Text.bytes(finding.bytes()) + (finding.path().length() == 0 ? "" : ": " + finding.path()));
    }
}
