// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.SyncResult;

/** A sync in this process. */
record DirectSync(SyncInput input, SyncOptions options) {

    /** Runs it and returns the exit code. */
    ExitCode run() {
        input.files.readsList(input.listOfPaths());
        input.files.hasOneSource();
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(sync(), input.common.screen());
        }
    }

    private ExitCode sync() {
        try (Session session = Session.begin(input.common, options.listsBelow())) {
            EventListener listener = input.files.before(session, false);
            if (input.transfer.isPublished()) {
                input.transfer.publish(session, input.common, "sync", List.of(input.source()), List.of(input.place()),
                        false);
            }
            SyncReport report = new SyncReport(session, input);
            SyncResult result = input.sync(options)
                    .sync(input.source(), input.destination(), report::print, listener, session.progress(),
                            session.cancellation());
            if (result.isComplete() && !input.isDryRun()) {
                input.files.listIsDone();
            }
            return report.end(result);
        } catch (CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }
}
