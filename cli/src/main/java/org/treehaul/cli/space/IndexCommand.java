// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.Indexer;
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
        common.addQuiet();
        common.addMetrics();
        common.addOnComplete();
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
        Path directory = space.directoryToCreate();
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
                return new IndexReport(session, result, isLossAccepted).print(common.isQuiet()).code();
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
}
