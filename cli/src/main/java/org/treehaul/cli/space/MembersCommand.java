// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul members}: shares a space on a server with users. */
public final class MembersCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private List<String> operands = List.of();
    private final MemberActions actions;

    /** Defines the command for Picocli. */
    public MembersCommand() {
        spec.name("members");
        spec.usageMessage()
                .header("Share a space on a server with users.")
                .customSynopsis("treehaul members create [--apart] --space ADDRESS",
                        "       treehaul members grant [--all] [--uid N] --space ADDRESS read|write USER",
                        "       treehaul members revoke --space ADDRESS USER",
                        "       treehaul members [list] --space ADDRESS")
                .description(
                        "%nA space in PostgreSQL that an administrator creates here belongs to none of its users. The server checks "
                                + "their rights. Each USER is a role of the server. list prints for each member the right, the tuples that it "
                                + "concerns, and the uid.%n")
                .footer("%nExamples:", "  treehaul members create --apart --space 'postgresql://db/jobs?schema=pool'",
                        "  treehaul members grant --space 'postgresql://db/jobs?schema=pool' --uid 1001 write alice",
                        "%nExit codes: 0 done, 2 wrong usage, or it cannot be done (nothing has changed).");
        Options.add(spec, Options.operands(String.class, () -> operands, value -> operands = value).hidden(true),
                "create|grant|revoke|list", "The action, the right and the user.");
        actions = new MemberActions(spec, common);
    }

    @Override
    public Integer call() {
        MemberActions.Action action = actions.of(operands);
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            try {
                String done = action.run(session, TupleSpaces.members(space.space()));
                if (!done.isEmpty()) {
                    session.screen().note(done);
                }
                return session.written(ExitCode.DONE).code();
            } catch (SpaceException e) {
                session.screen().error(String.valueOf(e.getMessage()));
                return ExitCode.TROUBLE.code();
            }
        }
    }
}
