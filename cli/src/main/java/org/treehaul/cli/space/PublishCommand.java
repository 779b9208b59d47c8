// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.transfer.StateOptions;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.transfer.TransferPublisher;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul publish}: brings the tuples of transfers in a space up to date. */
public final class PublishCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final StateOptions state = new StateOptions(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private @Nullable String named;
    private boolean views;
    private @Nullable String unwanted;

    /** Defines the command for Picocli. */
    public PublishCommand() {
        spec.name("publish");
        spec.usageMessage()
                .header("Publish transfers in a space for query.")
                .customSynopsis("treehaul publish [OPTION]... --space DIR [ID]",
                        "       treehaul publish --views --space DIR",
                        "       treehaul publish --remove ID --space DIR")
                .description(
                        "%nWrites the state of a transfer, its batches, attempts and failures into the space in DIR, a "
                                + "directory, partitions:FILE or postgresql://HOST/DATABASE, where 'treehaul query --transfers' and SQL find them, also beside an index of files. Without ID publishes all "
                                + "transfers of the state directory, and removes those that were forgotten. Changes no transfer.%n")
                .footer("%nExamples:", "  treehaul publish --space ~/scratch.space",
                        "  treehaul query --space ~/scratch.space --failures 'size>1G' verified=no",
                        "%nExit codes: 0 published, 2 wrong usage, or the space or a transfer cannot be used, 20 interrupted.");
        Options.add(spec, Options.flag(value -> views = value, "--views"),
                "Print the SQL statements that make the views transfers, batches, attempts and failures in the database of the "
                        + "space, for sqlite3 or psql. Publishes nothing.");
        Options.add(spec, Options.value(String.class, value -> unwanted = value, "--remove"), "ID",
                "Remove a transfer from the space. Meant for commands without jobs, and for transfers whose state directory no "
                        + "longer exists. Publishes nothing.");
        Options.add(spec, Options.optionalOperand(String.class, value -> named = value), "ID",
                "A transfer: its id, the end of its id, or 'last'.");
    }

    @Override
    public Integer call() {
        space.spaceToCreate();
        if (unwanted != null && (views || named != null || !TransferId.isId(unwanted))) {
            throw common.usage(
                    "--remove needs the whole id of one transfer, such as 20261121-162202-k3x9, and nothing else");
        }
        try (Session session = Session.begin(common, true)) {
            try (TupleSpace tuples = unwanted == null
                    ? TupleSpaces.open(space.spaceToCreate(), TransferPublisher.SPACE)
                    : TupleSpaces.openExisting(space.space(), TransferPublisher.SPACE)) {
                PublishActions actions = new PublishActions(session, tuples);
                if (views) {
                    actions.printViews(space.space());
                    return session.written(ExitCode.DONE).code();
                }
                return session.written(unwanted == null ? actions.publish(state, named) : actions.remove(unwanted))
                        .code();
            } catch (SpaceException e) {
                session.screen().error(space.explain(e));
            } catch (IOException e) {
                session.screen().error(StateDirectory.reason(e));
            }
            return ExitCode.TROUBLE.code();
        }
    }
}
