// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.SqlViews;
import org.treehaul.tuplespace.transfer.TransferPublisher;

/** The work of {@code treehaul publish} in an open space. */
record PublishActions(Session session, TupleSpace tuples) {

    /** Prints the statements that make the views. */
    void printViews(SpaceUri space) {
        // Refuses a space over several stores before it changes one.
        String script = SqlViews.script(space, !FileIndex.roots(tuples).isEmpty());
        SqlViews.prepare(tuples);
        script.lines().forEach(session.output()::line);
    }

    /** Removes the tuples of a transfer from the space. */
    ExitCode remove(String id) {
        if (TransferPublisher.remove(tuples, id) == 0) {
            session.screen().error("the space has no transfer " + id);
            return ExitCode.TROUBLE;
        }
        session.screen().note("removed " + id + " from the space");
        return ExitCode.DONE;
    }

    /** Publishes the transfer that the user named, or all transfers. */
    ExitCode publish(StateOptions state, @Nullable String named) throws IOException {
        Transfers transfers = state.reading();
        TransferPublisher publisher = new TransferPublisher(tuples, transfers);
        List<TransferId> ids = named == null ? transfers.list() : List.of(state.open(named).id());
        int published = 0;
        for (TransferId id : ids) {
            if (session.cancellation().isCancelled()) {
                return ExitCode.INTERRUPTED;
            }
            try {
                publisher.publish(transfers.open(id));
                published++;
            } catch (IOException e) {
                session.screen().error(id + " is not published: " + StateDirectory.reason(e));
            }
        }
        int removed = named == null ? publisher.removeForgotten() : 0;
        int count = published;
        session.json()
                .ifPresentOrElse(
                        json -> json.begin("published").number("transfers", count).number("removed", removed).end(),
                        () -> session.screen()
                                .note("published " + Text.count(count, "transfer", "transfers") + (removed == 0
                                        ? ""
                                        : ", and removed " + Text.count(removed, "forgotten one", "forgotten ones"))));
        return published < ids.size() ? ExitCode.TROUBLE : ExitCode.DONE;
    }
}
