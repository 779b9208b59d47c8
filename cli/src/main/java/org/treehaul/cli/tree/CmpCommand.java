// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.staged.StageOptions;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.ComparedPart;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.RanksException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul cmp}: reports the differences between two trees. */
public final class CmpCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private final ComparisonOptions comparison = new ComparisonOptions(spec, common, select);
    private final StageOptions stages = new StageOptions(spec, common);
    private final DifferenceUse use = new DifferenceUse(spec, common, select);
    private List<ByteString> trees = List.of();
    private boolean quiet;

    /** Defines the command for Picocli. */
    public CmpCommand() {
        spec.name("cmp");
        spec.usageMessage()
                .header("Compare two trees.")
                .customSynopsis("treehaul cmp [OPTION]... A B")
                .description(
                        "%nCompares every entry below A with the one at the same path below B: kind, size, mtime, mode, owner, group, link "
                                + "target, hard links, device numbers, extended attributes and ACLs. Prints one line for each difference, with the "
                                + "value in A before that in B, in no particular order. With -0, prints only the paths of entries of A that differ, "
                                + "for cp --files-from.%n")
                .footer("%nExamples:", "  treehaul cmp --content /data/run7 /archive/run7",
                        "  treehaul cmp --ignore=ownership,acl /data/run7 /mnt/usb/run7",
                        "  treehaul cmp --content --repair /data/run7 /archive/run7",
                        "  treehaul cmp --ranks 4 --distribution random-split /data/run7 /archive/run7",
                        "%nExit codes: 0 no difference, or all repaired; 1 differences; 2 something could not be compared or repaired; "
                                + "20 interrupted.");
        Options.add(spec, Options.operands(ByteString.class, () -> trees, value -> trees = value).hidden(true), "TREE",
                "The two trees.");
        Options.add(spec, Options.flag(value -> quiet = value, "-q", "--quiet"),
                "Print no differences; only set the exit code.");
    }

    @Override
    public Integer call() {
        ranks.check();
        use.check(ranks);
        if (trees.size() != 2) {
            throw common.usage("two trees are needed, A and B; "
                    + (trees.size() == 1 ? "1 is given" : trees.size() + " are given"));
        }
        if (trees.getFirst().length() == 0 || trees.getLast().length() == 0) {
            throw common.usage("a path is empty; use '.' for the working directory");
        }
        CompareOptions options = comparison.toCompareOptions();
        if (stages.areMeant(trees)) {
            return new StagedComparison(common, stages).run(trees.getFirst(), trees.getLast(), options, quiet).code();
        }
        FileSystemCalls calls = Linux.calls();
        Root a = select.root(trees.getFirst());
        ByteString b = trees.getLast();
        if (ranks.isProcess()) {
            try (Session session = Session.begin(common, !quiet)) {
                return ranks.run(session, communicator -> asRank(session, communicator, options, a, b));
            }
        }
        ExitCode code;
        try (Session session = Session.begin(common, !quiet)) {
            DifferenceReport report = new DifferenceReport(session, quiet || use.isList(), a.path(), b);
            session.count(() -> ComparisonOptions.count(calls, a, options));
            CompareResult result = TreeComparer.of(calls, options)
                    .withWalking(walk -> ranks.onTwoTrees(calls, walk))
                    .compare(a, b, use.collect(report::print), session, session.progress(), session.cancellation());
            use.list(session, calls, a, options);
            code = ranks.ended(report.end(result));
        }
        return use.repair(code, calls, a.path(), b, options, quiet).code();
    }

    // Each rank prints its own differences; rank 0 provides the summary and the exit code of all ranks.
    private int asRank(Session session, Communicator communicator, CompareOptions options, Root a, ByteString b) {
        FileSystemCalls calls = Linux.calls();
        DifferenceReport report = new DifferenceReport(session, quiet, a.path(), b);
        ComparedPart part = TreeComparer.of(calls, options)
                .withWalking(walk -> ranks.onTwoTrees(calls, walk, communicator))
                .comparePart(a, b, report::print, session, session.progress(), session.cancellation());
        if (!part.result().isComplete()) {
            // The other ranks would wait for this one; its exception ends them too.
            throw new RanksException("the comparison was stopped");
        }
        List<byte[]> parts = Gather.inFirst(communicator, part.toBytes(), session.cancellation());
        return ranks.codeOfAll(session, communicator, () -> report.end(ComparedPart.sum(parts, report::print)));
    }
}
