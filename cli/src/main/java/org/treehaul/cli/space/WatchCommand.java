// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.time.Duration;
import java.util.concurrent.Callable;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.tuplespace.TupleEvent;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul watch}: reports the changes that index runs find. */
public final class WatchCommand implements Callable<Integer> {

    // The delay between a signal and the end of the command.
    private static final long TICK_MILLIS = 50;
    // The patience while another process writes.
    private static final Duration PATIENCE = Duration.ofMillis(200);

    // A connection to a server may take as long as connect_timeout allows by default.
    private static final Duration PATIENCE_FOR_SERVER = Duration.ofSeconds(10);

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final QueryOptions which = new QueryOptions(spec);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SpaceOption space = new SpaceOption(spec);

    /** Defines the command for Picocli. */
    public WatchCommand() {
        spec.name("watch");
        spec.usageMessage()
                .header("Report entries that index runs find new, changed or gone.")
                .customSynopsis("treehaul watch [OPTION]... --space DIR [CONDITION]...")
                .description(
                        "%nPrints a line for each entry that meets every CONDITION (see query) when a run of index, by any "
                                + "process, has found it new or gone. A changed entry is reported as gone with its old values and new with its new ones. Ends when it "
                                + "is interrupted.%n")
                .footer("%nExamples:", "  treehaul watch --space ~/scratch.space 'size>100G'",
                        "  treehaul watch --space ~/scratch.space --json name=DONE",
                        "%nExit codes: 2 the index cannot be used, 20 interrupted.");
    }

    @Override
    public Integer call() throws InterruptedException {
        FileQuery query = which.query();
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            session.onlyWaits();
            QueryOptions.Printer printer = which.printer(session);
            try {
                boolean isOver = watch(session, query, printer);
                if (!isOver) {
                    session.screen()
                            .note("another process is writing to the index; watching starts when it has finished");
                }
                while (!isOver && !session.cancellation().isCancelled()) {
                    Thread.sleep(TICK_MILLIS);
                    isOver = watch(session, query, printer);
                }
            } catch (SpaceException e) {
                session.screen().error(space.explain(e));
                return ExitCode.TROUBLE.code();
            }
            return session.end(session.problems().counts(), false).code();
        }
    }

    /** Reports changes until it is interrupted; returns false if it cannot begin yet. */
    private boolean watch(Session session, FileQuery query, QueryOptions.Printer printer) throws InterruptedException {
        SpaceUri where = space.space();
        try (FileIndex index = FileIndex.open(where, isOnServer(where) ? PATIENCE_FOR_SERVER : PATIENCE);
                FileIndex.Watch watch = index.watch(query, event -> print(session, printer, event))) {
            session.screen().note("watching; press ^C to end");
            while (!session.cancellation().isCancelled() && session.output().isUsable()) {
                Thread.sleep(TICK_MILLIS);
                printer.flush();
            }
            if (watch.lost() > 0) {
                // A lost connection counts as one, because the number of changes in that time is not known.
                session.screen().error("changes were lost at least " + watch.lost() + " times, and are missing here");
            }
            return true;
        } catch (SpaceException e) {
            if (e.reason() == SpaceException.Reason.BUSY) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isOnServer(SpaceUri where) {
        return where.scheme().equals(SpaceUri.PARTITIONS)
                ? Partitions.stores(where).stream().anyMatch(WatchCommand::isOnServer)
                : !where.scheme().equals(SpaceUri.SQLITE);
    }

    private static void print(Session session, QueryOptions.Printer printer, TupleEvent<FileTuple> event) {
        if (event.isAfterGap()) {
            session.screen()
                    .error("some changes are missing here: they came faster than they could be reported, or the"
                            + " connection to the space was lost");
        }
        String kind = event.kind() == EventKind.WRITTEN ? "new" : "gone";
        printer.print(kind, kind.equals("new") ? "new  " : "gone ", event.tuple());
    }
}
