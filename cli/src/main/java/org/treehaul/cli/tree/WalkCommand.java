// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.staged.StageOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul walk}: sums up trees or lists their entries. */
public final class WalkCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec);
    private final Conditions conditions = new Conditions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private final ShapeOption shape = new ShapeOption(spec, common);
    private final StageOptions stages = new StageOptions(spec, common);
    private List<ByteString> roots = List.of();
    private boolean print;
    private boolean summary;
    private boolean locality;
    private Symlinks symlinks = Symlinks.NEVER;

    /** Defines the command for Picocli. */
    public WalkCommand() {
        spec.name("walk");
        common.addOnComplete();
        spec.usageMessage()
                .header("Summarise trees, or list their entries.")
                .description(
                        "%nSummarises the trees below each ROOT, by default the working directory. With --print, -0 or --json, lists the "
                                + "entries instead, in no particular order, except that a directory comes before its contents.%n")
                .footer("%nExamples:", "  treehaul walk /data/run7",
                        "  treehaul walk --print -0 /data/run7 | xargs -0 -n 100 ls -ld",
                        "  treehaul walk --json /data/run7 | jq -c 'select(.size > 1073741824)'",
                        "  treehaul walk --ranks 4 --distribution random-split /data/run7",
                        "%nExit codes: 0 all read, 2 nothing could be read, 20 interrupted, 23 some entries could not be read, "
                                + "24 some vanished.");
        Options.add(spec, Options.operands(ByteString.class, () -> roots, value -> roots = value), "ROOT",
                "A tree to walk.");
        Options.add(spec, Options.flag(value -> print = value, "--print"), "Print the path of each entry.");
        Options.add(spec, Options.flag(value -> summary = value, "--summary"),
                "Print the summary; with --json as one object.");
        Options.add(spec, Options.flag(value -> locality = value, "--locality"),
                "List the entries with the servers that have the data of files, on file systems that name them.");
        Options.add(spec, Options.flag(value -> symlinks = Symlinks.NEVER, "-P", "--no-dereference"),
                "Follow no symbolic links. This is the default.");
        Options.add(spec, Options.flag(value -> symlinks = Symlinks.ROOTS, "-H"),
                "Follow symbolic links that are given as ROOT.");
        Options.add(spec, Options.flag(value -> symlinks = Symlinks.ALWAYS, "-L", "--dereference"),
                "Follow all symbolic links.");
    }

    @Override
    public Integer call() {
        ranks.check();
        if (summary && (print || locality) || print && common.json) {
            throw common.usage((print ? "--print" : "--locality") + " and --" + (summary ? "summary" : "json")
                    + " cannot be combined");
        }
        boolean lists = !summary && (print || locality || common.json || select.nul && select.filesFrom == null);
        WalkOutput.Form form = new WalkOutput.Form(lists, select.nul, locality);
        WalkOptions options = WalkOptions.defaults()
                .withSymlinks(symlinks)
                .withOneFileSystem(select.oneFileSystem)
                .withFilter(select.filter())
                .withWhere(conditions.where())
                .withThreads(common.threads)
                .withStatus(common.json || !lists);
        if (stages.areMeant(roots)) {
            return new StagedOutput(common, stages).print(roots, options, form).code();
        }
        if (shape.isGiven()) {
            shape.check(lists || summary);
            return shape.record(options, select.roots(roots)).code();
        }
        List<Root> from = select.roots(roots);
        if (!lists && roots.size() > 1) {
            RootOverlap.notices(roots).forEach(common.screen()::note);
        }
        if (ranks.isProcess()) {
            try (Session session = Session.begin(common, lists)) {
                WalkOutput output = WalkOutput.of(session, form);
                return ranks.run(session, communicator -> output.asRank(ranks, communicator, options, from));
            }
        }
        try (Session session = Session.begin(common, lists)) {
            // Only now, because another thread links the functions.
            Walker walker = ranks.walking(Linux.calls(), options);
            return ranks.ended(WalkOutput.of(session, form).print(walker, from)).code();
        }
    }
}
