// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.ProgressDisplay;
import org.treehaul.cli.report.Text;
import org.treehaul.cli.report.TotalCount;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.ComparedPart;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
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
    private final List<String> ignored = new ArrayList<>();
    private final List<String> compared = new ArrayList<>();
    private List<ByteString> trees = List.of();
    private boolean content;
    private double window;
    private boolean trusted;
    private boolean followRoots;
    private boolean quiet;
    private @Nullable ByteSize chunkSize;

    /** Defines the command for Picocli. */
    public CmpCommand() {
        spec.name("cmp");
        spec.usageMessage()
                .header("Compare two trees.")
                .customSynopsis("treehaul cmp [OPTION]... A B")
                .description(
                        "%nCompares every entry below A with the one at the same path below B: kind, size, mtime, mode, owner, group, link "
                                + "target, hard links, device numbers, extended attributes and ACLs. Prints one line for each difference, in no "
                                + "particular order.%n")
                .footer("%nExamples:", "  treehaul cmp --content /data/run7 /archive/run7",
                        "  treehaul cmp --ignore=ownership,acl /data/run7 /mnt/usb/run7",
                        "  treehaul cmp --ranks 4 --distribution random-split /data/run7 /archive/run7",
                        "%nExit codes: 0 no difference, 1 differences, 2 something could not be compared, 20 interrupted.");
        spec.addPositional(Options.operands(ByteString.class, () -> trees, value -> trees = value)
                .paramLabel("TREE")
                .description("The two trees.")
                .hidden(true)
                .build());
        spec.addOption(Options.flag(value -> content = value, "--content")
                .description("Compare the data of files too, which reads both trees completely.")
                .build());
        spec.addOption(Options.value(String.class, ignored::add, "--ignore")
                .paramLabel("LIST")
                .description(
                        "Do not compare these: only-in-a, only-in-b, size, mode, owner, group, ownership, mtime, times, target, "
                                + "links, device, xattr, acl.")
                .build());
        spec.addOption(Options.value(String.class, compared::add, "--compare")
                .paramLabel("LIST")
                .description("Compare these too: atime, ctime, btime, content.")
                .build());
        spec.addOption(Options.value(Double.class, value -> window = value, "--modify-window")
                .paramLabel("SECONDS")
                .description("Treat times as equal that differ by no more than this, for example 2 for FAT.")
                .build());
        spec.addOption(Options.flag(value -> trusted = value, "--trusted")
                .description("Compare trusted.* attributes too, which only root can read.")
                .build());
        spec.addOption(Options.flag(value -> followRoots = value, "-H")
                .description("Follow A or B if it is a symbolic link.")
                .build());
        spec.addOption(Options.flag(value -> quiet = value, "-q", "--quiet")
                .description("Print no differences; only set the exit code.")
                .build());
        spec.addOption(Options.value(ByteSize.class, value -> chunkSize = value, "--chunk-size")
                .paramLabel("SIZE")
                .description("Compare files larger than SIZE in chunks, by several threads. Default: 64M.")
                .build());
    }

    @Override
    public Integer call() {
        common.check();
        ranks.check();
        if (trees.size() != 2) {
            throw common.usage("cmp needs two trees, not " + trees.size());
        }
        if (trees.getFirst().length() == 0 || trees.getLast().length() == 0) {
            throw common.usage("a path is empty; use '.' for the working directory");
        }
        CompareOptions options = options();
        FileSystemCalls calls = Linux.calls();
        Root a = select.root(trees.getFirst());
        ByteString b = trees.getLast();
        if (ranks.isProcess()) {
            try (Session session = Session.begin(common, !quiet)) {
                return ranks.run(session, communicator -> asRank(session, communicator, options, a, b));
            }
        }
        try (Session session = Session.begin(common, !quiet)) {
            session.count(() -> count(calls, a, options));
            CompareResult result = TreeComparer.of(calls, options)
                    .withWalking(walk -> ranks.onTwoTrees(calls, walk))
                    .compare(a, b, difference -> print(session, difference), session, session.progress(),
                            session.cancellation());
            return ranks.ended(end(session, result)).code();
        }
    }

    // Each rank prints its own differences; rank 0 provides the summary and the exit code of all ranks.
    private int asRank(Session session, Communicator communicator, CompareOptions options, Root a, ByteString b) {
        FileSystemCalls calls = Linux.calls();
        ComparedPart part = TreeComparer.of(calls, options)
                .withWalking(walk -> ranks.onTwoTrees(calls, walk, communicator))
                .comparePart(a, b, difference -> print(session, difference), session, session.progress(),
                        session.cancellation());
        if (!part.result().isComplete()) {
            // The other ranks would wait for this one; its exception ends them too.
            throw new RanksException("the comparison was stopped");
        }
        List<byte[]> parts = Gather.inFirst(communicator, part.toBytes(), session.cancellation());
        return ranks.codeOfAll(session, communicator,
                () -> end(session, ComparedPart.sum(parts, difference -> print(session, difference))));
    }

    private CompareOptions options() {
        try {
            CompareOptions options = CompareOptions.defaults()
                    .withContent(content)
                    .withTrusted(trusted)
                    .withFollowRoots(followRoots)
                    .withOneFileSystem(select.oneFileSystem)
                    .withFilter(select.filter())
                    .withThreads(common.threads)
                    .withModifyWindow(Duration.ofNanos(Math.round(window * 1e9)));
            for (String words : compared) {
                options = options.comparing(DifferenceKind.parse(words));
            }
            for (String words : ignored) {
                options = options.ignoring(DifferenceKind.parse(words));
            }
            return chunkSize == null ? options : options.withChunkBytes(chunkSize.bytes());
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }

    private TotalCount count(FileSystemCalls calls, Root a, CompareOptions options) {
        WalkOptions walk = WalkOptions.defaults()
                .withOneFileSystem(options.oneFileSystem())
                .withFilter(options.filter());
        return new TotalCount(calls, walk, List.of(a), options.compares(DifferenceKind.CONTENT) ? 1 : 0, false);
    }

    private void print(Session session, Difference difference) {
        if (quiet) {
            return;
        }
        if (session.json().isEmpty()) {
            session.output().line(difference.toString());
            if (!session.output().isUsable()) {
                session.cancellation().cancel();
            }
            return;
        }
        JsonLines json = session.json().get();
        synchronized (json) {
            json.begin("difference")
                    .text("kind", difference.kind().label())
                    .path("path", path(difference))
                    .text("a", difference.a())
                    .text("b", difference.b());
            if (difference.offset().isPresent()) {
                json.number("offset", difference.offset().getAsLong());
            }
            if (!difference.attributes().isEmpty()) {
                json.list("attributes");
                difference.attributes().forEach(name -> json.textElement(name.toString()));
                json.endList();
            }
            json.end();
        }
    }

    private static ByteString path(Difference difference) {
        return difference.path().isRoot() ? ByteString.of(".") : ByteString.of(difference.path().toBytes());
    }

    private ExitCode end(Session session, CompareResult result) {
        session.json().ifPresent(json -> summarize(json, result, session.nanos()));
        ExitCode code = session.end(result.failures(), result.isComplete());
        if (!quiet && !common.json) {
            String found = result.differences().isEmpty() ? "no differences" : differences(result);
            String content = result.counts().bytes() > 0
                    ? ", " + Text.bytes(result.counts().bytes()) + " of content"
                    : "";
            session.screen()
                    .note(found + " in " + Text.count(result.counts().entries(), "entry", "entries") + content + " in "
                            + Text.tenths(session.nanos() / 1e9) + " s");
        }
        if (code == ExitCode.INTERRUPTED) {
            return code;
        }
        if (code != ExitCode.DONE || result.hasTrouble()) {
            return ExitCode.TROUBLE;
        }
        return result.differences().isEmpty() ? ExitCode.DONE : ExitCode.DIFFERENT;
    }

    private static String differences(CompareResult result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<DifferenceKind, Long> kind : new TreeMap<>(result.differences()).entrySet()) {
            text.append(text.isEmpty() ? "" : ", ")
                    .append(kind.getKey().label())
                    .append(' ')
                    .append(Text.count(kind.getValue()));
        }
        long count = result.differenceCount();
        return Text.count(count, "difference", "differences") + " (" + text + ")";
    }

    private static void summarize(JsonLines json, CompareResult result, long nanos) {
        synchronized (json) {
            json.begin("summary");
            ProgressDisplay.fields(json, result.counts(), nanos).object("differences");
            new TreeMap<>(result.differences()).forEach((kind, count) -> json.number(kind.label(), count));
            json.endObject().flag("complete", result.isComplete()).end();
        }
    }
}
