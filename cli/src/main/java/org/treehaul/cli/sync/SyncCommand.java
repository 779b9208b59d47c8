// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.sync;

import java.util.concurrent.Callable;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.copy.EventFiles;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.SyncResult;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul sync}: makes a destination equal to a source as rsync does, with many threads. */
public final class SyncCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SyncInput input = new SyncInput(spec);

    /** Defines the command for Picocli. */
    public SyncCommand() {
        spec.name("sync");
        spec.usageMessage()
                .header("Make a destination equal to a source like rsync -aHAX, with many threads.")
                .customSynopsis("treehaul sync [OPTION]... SOURCE DEST")
                .description(
                        "%nCompares SOURCE with its copy in DEST, then copies what is missing or differs. SOURCE/ with a slash means "
                                + "the content of SOURCE: DEST itself becomes the copy. Without a slash, the copy is DEST/SOURCE. "
                                + "Keeps all attributes. Entries that only the copy has stay, unless --delete is given.%n")
                .footer("%nExamples:", "  treehaul sync /data/run7/ /archive/run7",
                        "  treehaul sync --delete --dry-run /data/run7/ /archive/run7",
                        "  treehaul sync --delete=after --exclude .snapshot /home/ann /backup",
                        "  treehaul cmp -0 --content /data /copy | treehaul sync -c -0 --files-from - /data /copy",
                        "%nExit codes: 0 the copy is equal, 2 refused before it began, 20 interrupted, 23 some or all entries failed, 24 some "
                                + "vanished or changed, 25 the limit of removals was reached.");
    }

    @Override
    public Integer call() {
        input.check();
        SyncOptions options = input.options();
        try (EventFiles files = input.files.open(input.common.line())) {
            return files.end(run(options), input.common.screen()).code();
        }
    }

    private ExitCode run(SyncOptions options) {
        try (Session session = Session.begin(input.common, options.listsBelow())) {
            EventListener listener = input.files.before(session, false);
            SyncReport report = new SyncReport(session, input);
            SyncResult result = input.sync(options)
                    .sync(input.source(), input.destination(), report::print, listener, session.progress(),
                            session.cancellation());
            return report.end(result);
        } catch (CopyRefusedException e) {
            input.common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE;
        }
    }
}
