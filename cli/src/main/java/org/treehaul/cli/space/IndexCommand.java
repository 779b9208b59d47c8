// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.Indexer;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul index}: records the entries of trees for {@code query} and {@code watch}. */
public final class IndexCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final IndexInput input = new IndexInput(spec, common);
    private final SpaceOption space = new SpaceOption(spec);
    private final IndexUpkeep upkeep = new IndexUpkeep(spec, common, space);
    private List<ByteString> roots = List.of();

    /** Defines the command for Picocli. */
    public IndexCommand() {
        spec.name("index");
        spec.usageMessage()
                .header("Index trees for query.")
                .customSynopsis("treehaul index [OPTION]... --space DIR [ROOT]...",
                        "       treehaul index --info --space DIR",
                        "       treehaul index --forget --space DIR ROOT...")
                .description(
                        "%nWalks the tree below each ROOT and stores in DIR the attributes of every entry: path, kind, size, times, mode, "
                                + "owner and more. Later runs update only what has changed. Without ROOT the trees that are indexed in DIR are "
                                + "read again. Directories that cannot be read keep their indexed entries, which are marked.%n")
                .footer("%nExamples:", "  treehaul index --space ~/scratch.space /scratch/alice",
                        "  treehaul index --space ~/scratch.space", "  treehaul index --space ~/scratch.space --info",
                        "%nExit codes: 0 all read, 2 nothing could be read or stored, 20 interrupted (the index is unchanged), "
                                + "23 some entries could not be read, 24 some vanished, 25 more than a tenth of a tree is "
                                + "no longer listed (the index is unchanged).");
        common.addQuiet();
        common.addMetrics();
        common.addOnComplete();
        Options.add(spec, Options.operands(ByteString.class, () -> roots, value -> roots = value), "ROOT",
                "A tree to index; a symbolic link is followed.");
    }

    @Override
    public Integer call() {
        upkeep.check(roots);
        SpaceUri named = upkeep.isWanted() ? space.space() : space.spaceToCreate();
        if (roots.stream().anyMatch(root -> root.length() == 0)) {
            throw common.usage("a path is empty; use '.' for the working directory");
        }
        try (Session session = Session.begin(common, false)) {
            try {
                if (upkeep.isWanted()) {
                    upkeep.run(session, roots);
                    return session.end(session.problems().counts(), true).code();
                }
                IndexResult result = Indexer.of(Linux.calls(), input.options()).run(named, roots, failure -> {
                    upkeep.onFailure(failure);
                    session.onEvent(new Event.Failed(failure));
                }, session.progress(), session.cancellation());
                int code = new IndexReport(session, result, input.isLossAccepted()).print(common.isQuiet()).code();
                upkeep.explain(session);
                return code;
            } catch (SpaceException e) {
                return fail(session, space.explain(e));
            } catch (IOException e) {
                return fail(session, PrivateFiles.describe(e));
            }
        }
    }

    private static int fail(Session session, String problem) {
        session.screen().status("");
        session.screen().error(problem);
        return ExitCode.TROUBLE.code();
    }
}
