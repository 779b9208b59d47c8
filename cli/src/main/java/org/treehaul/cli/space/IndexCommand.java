// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.Indexer;
import org.treehaul.tuplespace.files.index.TreeLoss;
import org.treehaul.tuplespace.store.SpaceException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul index}: records the entries of trees for {@code query} and {@code watch}. */
public final class IndexCommand implements Callable<Integer> {

    /** The hashes that can be recorded. */
    enum Hash {
        none,
        xxh3,
        sha256
    }

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec, false);
    private final CommonOptions common = new CommonOptions(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private List<ByteString> roots = List.of();
    private Hash hash = Hash.none;
    private boolean isLossAccepted;

    /** Defines the command for Picocli. */
    public IndexCommand() {
        spec.name("index");
        spec.usageMessage()
                .header("Index trees for query.")
                .customSynopsis("treehaul index [OPTION]... --space DIR [ROOT]...")
                .description(
                        "%nWalks the tree below each ROOT and stores in DIR the attributes of every entry: path, kind, size, times, mode, "
                                + "owner and more. Later runs update only what has changed. Without ROOT the trees that are indexed in DIR are "
                                + "read again. Directories that cannot be read keep their indexed entries, which are marked.%n")
                .footer("%nExamples:", "  treehaul index --space ~/scratch.space /scratch/alice",
                        "  treehaul index --space ~/scratch.space",
                        "%nExit codes: 0 all read, 2 nothing could be read or stored, 20 interrupted (the index is unchanged), "
                                + "23 some entries could not be read, 24 some vanished, 25 more than a tenth of a tree is "
                                + "no longer listed (the index is unchanged).");
        spec.addPositional(Options.operands(ByteString.class, () -> roots, value -> roots = value)
                .paramLabel("ROOT")
                .description("A tree to index; a symbolic link is followed.")
                .build());
        spec.addOption(Options.attached(Hash.class, "xxh3", value -> hash = value, "--hash")
                .paramLabel("KIND")
                .description(
                        "Store a hash of the data of each regular file too: xxh3 or sha256. Reads every file that is new "
                                + "or changed.")
                .build());
        spec.addOption(Options.flag(value -> isLossAccepted = value, "--accept-loss")
                .description(
                        "Remove entries that are no longer listed from the index, even if they are more than a tenth of a "
                                + "tree of 1,000 or more. Without this option the index stays unchanged in this case.")
                .build());
    }

    @Override
    public Integer call() {
        common.check();
        Path directory = space.directory();
        if (roots.stream().anyMatch(root -> root.length() == 0)) {
            throw common.usage("a path is empty; use '.' for the working directory");
        }
        IndexOptions options = IndexOptions.defaults()
                .withWalk(WalkOptions.defaults()
                        .withOneFileSystem(select.oneFileSystem)
                        .withFilter(select.filter())
                        .withThreads(common.threads))
                .withHash(IndexOptions.Hash.valueOf(hash.name().toUpperCase(Locale.ROOT)))
                .withLossAccepted(isLossAccepted);
        try (Session session = Session.begin(common, false)) {
            try {
                IndexResult result = Indexer.of(Linux.calls(), options)
                        .run(directory, roots, failure -> session.onEvent(new Event.Failed(failure)),
                                session.progress(), session.cancellation());
                return end(session, result, isLossAccepted).code();
            } catch (SpaceException e) {
                return fail(session, space.explain(e));
            } catch (IOException e) {
                return fail(session, String.valueOf(e.getMessage()));
            }
        }
    }

    private static int fail(Session session, String problem) {
        session.screen().status("");
        session.screen().error(problem);
        return ExitCode.TROUBLE.code();
    }

    private static ExitCode end(Session session, IndexResult result, boolean isLossAccepted) {
        Map<EntryFailure.Kind, Long> failures = session.problems().counts();
        session.json().ifPresent(json -> json(json, session, result, isLossAccepted));
        ExitCode code = session.end(failures, result.isComplete());
        if (result.entries() == 0) {
            return code == ExitCode.PARTIAL || code == ExitCode.UNSETTLED ? ExitCode.TROUBLE : code;
        }
        if (!result.losses().isEmpty() && !isLossAccepted) {
            result.losses().forEach(loss -> session.screen().error(explain(loss)));
            return ExitCode.DELETE_LIMIT;
        }
        if (session.json().isEmpty()) {
            session.screen().note(result.isComplete() ? summary(session, result) : "stopped; the index is unchanged");
        }
        return code;
    }

    private static String explain(TreeLoss loss) {
        return loss.root() + ": " + Text.count(loss.missing()) + " of " + Text.count(loss.known())
                + " indexed entries are no longer listed. A file system that is partly down, or that "
                + "is not mounted, may list too little without an error. The index is unchanged; if the entries are gone, use "
                + "--accept-loss";
    }

    private static String summary(Session session, IndexResult result) {
        return Text.count(result.entries(), "entry", "entries") + " of "
                + result.roots().stream().map(ByteString::toString).collect(Collectors.joining(", ")) + ": "
                + Text.count(result.added()) + " new, " + Text.count(result.changed()) + " changed, "
                + Text.count(result.removed()) + " gone, in " + Text.tenths(session.nanos() / 1e9) + " s";
    }

    private static void json(JsonLines json, Session session, IndexResult result, boolean isLossAccepted) {
        synchronized (json) {
            for (TreeLoss loss : result.losses()) {
                json.begin("loss")
                        .path("root", loss.root())
                        .number("known", loss.known())
                        .number("missing", loss.missing())
                        .end();
            }
            json.begin("summary")
                    .number("generation", result.generation())
                    .number("entries", result.entries())
                    .number("added", result.added())
                    .number("changed", result.changed())
                    .number("removed", result.removed())
                    .number("failures", session.problems().total())
                    .number("milliseconds", session.nanos() / 1_000_000)
                    .flag("complete", result.isComplete() && (isLossAccepted || result.losses().isEmpty()))
                    .end();
        }
    }
}
