// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul space check}: reads a whole tuple space or index, and reports damage. */
public final class SpaceCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private List<ByteString> operands = List.of();

    /** Defines the command for Picocli. */
    public SpaceCommand() {
        spec.name("space");
        spec.usageMessage()
                .header("Check a tuple space or an index.")
                .customSynopsis("treehaul space check [OPTION]... [DIR]")
                .description(
                        "%nReads the whole space in DIR, or in that of --space: its pages, its indexes, and each tuple, which "
                                + "has a checksum. Prints one line for each damage. Changes nothing.%n")
                .footer("%nExamples:", "  treehaul space check ~/scratch.space",
                        "%nExit codes: 0 intact, 1 damaged, 2 wrong usage, or the space cannot be read.");
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "check [DIR]", "The word check, and the directory of the space.");
    }

    @Override
    public Integer call() {
        if (operands.isEmpty() || !operands.getFirst().equals(ByteString.of("check")) || operands.size() > 2) {
            throw common.usage("use 'treehaul space check DIR'");
        }
        SpaceUri named = operands.size() == 2
                ? space.space(new String(operands.get(1).toBytes(), StandardCharsets.ISO_8859_1))
                : space.space();
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            Inspection found;
            try {
                found = TupleSpaces.check(named);
            } catch (SpaceException e) {
                session.screen().error(SpaceOption.explain(e, named));
                boolean isDamaged = e.reason() == SpaceException.Reason.DAMAGED;
                return (isDamaged ? ExitCode.DIFFERENT : ExitCode.TROUBLE).code();
            }
            print(session, found);
            return (found.isWhole() ? ExitCode.DONE : ExitCode.DIFFERENT).code();
        }
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
