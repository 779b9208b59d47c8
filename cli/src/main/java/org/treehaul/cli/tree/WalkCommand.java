// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.simulation.ShapeRecorder;
import org.treehaul.strategies.ranks.simulation.TreeShape;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul walk}: sums up trees or lists their entries. */
public final class WalkCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private final RankOptions ranks = new RankOptions(spec, common);
    private List<ByteString> roots = List.of();
    private boolean print;
    private boolean summary;
    private @Nullable ByteString shapeFile;
    private Symlinks symlinks = Symlinks.NEVER;

    /** Defines the command for Picocli. */
    public WalkCommand() {
        spec.name("walk");
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
        spec.addPositional(Options.operands(ByteString.class, () -> roots, value -> roots = value)
                .paramLabel("ROOT")
                .description("A tree to walk.")
                .build());
        spec.addOption(
                Options.flag(value -> print = value, "--print").description("Print the path of each entry.").build());
        spec.addOption(Options.flag(value -> summary = value, "--summary")
                .description("Print the summary; with --json as one object.")
                .build());
        spec.addOption(Options.value(ByteString.class, value -> shapeFile = value, "--record-shape")
                .paramLabel("FILE")
                .description(
                        "Record the shape of the tree and the time of calls in FILE, for simulate, and print nothing else.")
                .build());
        spec.addOption(Options.flag(value -> symlinks = Symlinks.NEVER, "-P", "--no-dereference")
                .description("Follow no symbolic links. This is the default.")
                .build());
        spec.addOption(Options.flag(value -> symlinks = Symlinks.ROOTS, "-H")
                .description("Follow symbolic links that are given as ROOT.")
                .build());
        spec.addOption(Options.flag(value -> symlinks = Symlinks.ALWAYS, "-L", "--dereference")
                .description("Follow all symbolic links in sources.")
                .build());
    }

    @Override
    public Integer call() {
        common.check();
        ranks.check();
        boolean lists = !summary && (print || common.json || select.nul && select.filesFrom == null);
        if (summary && print) {
            throw common.usage("--print and --summary exclude each other");
        }
        if (print && common.json) {
            throw common.usage("--print and --json exclude each other");
        }
        WalkOptions options = WalkOptions.defaults()
                .withSymlinks(symlinks)
                .withOneFileSystem(select.oneFileSystem)
                .withFilter(select.filter())
                .withThreads(common.threads)
                .withStatus(common.json || !lists);
        if (shapeFile != null) {
            return recordShape(shapeFile, options, lists || summary);
        }
        List<Root> from = roots();
        if (ranks.isProcess()) {
            try (Session session = Session.begin(common, lists)) {
                return ranks.run(session, communicator -> asRank(session, communicator, options, from, lists));
            }
        }
        Walker walking = ranks.walking(Linux.calls(), options);
        try (Session session = Session.begin(common, lists)) {
            return ranks.ended(lists ? list(session, walking, from) : sumUp(session, walking, from)).code();
        }
    }

    // Each rank lists its own entries; rank 0 provides the sums of all ranks and the exit code.
    private int asRank(Session session, Communicator communicator, WalkOptions options, List<Root> from,
            boolean lists) {
        Walker walking = ranks.walking(Linux.calls(), options, communicator);
        byte[] part;
        if (lists) {
            boolean isComplete = EntryLister.list(session, walking, from, select.nul);
            requireComplete(session, isComplete && !session.output().isReaderGone());
            if (session.json().isPresent()) {
                EntryLister.end(session, true);
            }
            session.output().flush();
            requireComplete(session, session.output().isUsable());
            part = ListedPart.of(session).toBytes();
        } else {
            TreeSummary sum = TreeSummary.ofPart(walking, from, session, session.progress(), session.cancellation());
            requireComplete(session, sum.isComplete());
            part = sum.toBytes();
        }
        List<byte[]> parts = Gather.inFirst(communicator, part, session.cancellation());
        return ranks.codeOfAll(session, communicator,
                () -> lists ? endOfList(session, parts) : endOfSum(session, parts));
    }

    private static ExitCode endOfList(Session session, List<byte[]> parts) {
        ListedPart sum = ListedPart.sum(parts);
        return endOfAll(session, sum.failures(), sum.entries());
    }

    private static ExitCode endOfSum(Session session, List<byte[]> parts) {
        TreeSummary sum = TreeSummary.sum(parts);
        report(session, sum);
        return endOfAll(session, sum.failuresByKind(), sum.totalEntries());
    }

    private static ExitCode endOfAll(Session session, Map<EntryFailure.Kind, Long> failures, long entries) {
        ExitCode code = end(session, failures, entries, true);
        long total = failures.values().stream().mapToLong(Long::longValue).sum();
        if (total > session.problems().total()) {
            session.screen().error(Text.count(total, "failure", "failures") + " in all ranks");
        }
        return code;
    }

    // The other ranks would wait for this one; its exception ends them too.
    private static void requireComplete(Session session, boolean isComplete) {
        if (!isComplete) {
            throw new RanksException(session.output().problem().orElse("the walk was stopped"));
        }
    }

    private int recordShape(ByteString file, WalkOptions options, boolean isMore) {
        if (isMore || common.isGiven("--ranks")) {
            throw common.usage("--record-shape cannot be combined with --print, --json, --summary and --ranks");
        }
        List<Root> from = roots();
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, false)) {
            Optional<TreeShape> shape = ShapeRecorder.record(Linux.calls(), options, from, session.cancellation(),
                    failure -> session.onEvent(new Event.Failed(failure)));
            if (shape.isPresent() && !session.cancellation().isCancelled()) {
                ByteFiles.write(file, shape.get().text().getBytes(StandardCharsets.US_ASCII));
            }
            return session.end(session.problems().counts(), !session.cancellation().isCancelled()).code();
        } catch (IOException e) {
            throw common.usage("--record-shape " + file + ": " + e.getMessage());
        }
    }

    private List<Root> roots() {
        List<ByteString> given = roots.isEmpty() ? List.of(ByteString.of(".")) : roots;
        if (select.filesFrom != null && given.size() > 1) {
            throw common.usage("--files-from needs exactly one root; " + given.size() + " are given");
        }
        return given.stream().map(select::root).toList();
    }

    private ExitCode sumUp(Session session, Walker walking, List<Root> from) {
        TreeSummary sum = TreeSummary.of(walking, from, session, session.progress(), session.cancellation());
        report(session, sum);
        return end(session, sum.isComplete());
    }

    private static void report(Session session, TreeSummary sum) {
        SummaryReport report = new SummaryReport(sum);
        if (session.json().isPresent()) {
            report.json(session.json().get(), session.nanos());
        } else if (sum.totalEntries() > 0) {
            report.text(session.output());
        }
    }

    private ExitCode list(Session session, Walker walking, List<Root> from) {
        boolean isComplete = EntryLister.list(session, walking, from, select.nul);
        if (session.json().isPresent()) {
            EntryLister.end(session, isComplete);
        }
        session.output().flush();
        return end(session, isComplete && !session.output().isReaderGone());
    }

    private static ExitCode end(Session session, boolean isComplete) {
        return end(session, session.problems().counts(), session.progress().snapshot().entries(), isComplete);
    }

    private static ExitCode end(Session session, Map<EntryFailure.Kind, Long> failures, long entries,
            boolean isComplete) {
        ExitCode code = session.end(failures, isComplete);
        boolean isUnread = code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED;
        return entries == 0 && isUnread ? ExitCode.TROUBLE : code;
    }
}
