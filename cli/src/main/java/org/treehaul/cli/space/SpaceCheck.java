// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** Reads a whole tuple space or index, and reports damage. */
final class SpaceCheck {
    private boolean isOldAccepted;

    SpaceCheck(CommandSpec spec) {
        Options.add(spec, Options.flag(value -> isOldAccepted = value, "--accept-old"),
                "With check of partitions:FILE: accept stores from backups of different age.");
    }

    ExitCode run(Session session, SpaceUri space) {
        boolean isPartitioned = space.scheme().equals(SpaceUri.PARTITIONS);
        Inspection found;
        try {
            if (isOldAccepted && isPartitioned) {
                Partitions.acceptOld(space);
            }
            found = TupleSpaces.check(space);
        } catch (SpaceException e) {
            session.screen().error(SpaceOption.explain(e, space));
            return e.reason() == SpaceException.Reason.DAMAGED ? ExitCode.DIFFERENT : ExitCode.TROUBLE;
        }
        print(session, found);
        return session.written(found.isWhole() ? ExitCode.DONE : ExitCode.DIFFERENT);
    }

    private static void print(Session session, Inspection found) {
        session.json().ifPresentOrElse(json -> {
            found.problems().forEach(problem -> json.begin("damage").text("problem", problem).end());
            json.begin("space")
                    .number("tuples", found.tuples())
                    .number("unchecked", found.unchecked())
                    .flag("whole", found.isWhole())
                    .end();
        }, () -> {
            found.problems().forEach(session.output()::line);
            session.screen()
                    .note(Text.count(found.tuples(), "tuple", "tuples") + " read: "
                            + (found.isWhole() ? "the space is intact" : "the space is damaged")
                            + (found.unchecked() == 0
                                    ? ""
                                    : "; " + Text.count(found.unchecked())
                                            + " of them are from a version without checksums"));
        });
    }
}
