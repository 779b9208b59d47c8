// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul du}: sums up the space of directories, or of groups of entries. */
public final class DuCommand implements Callable<Integer> {

    /** The options of GNU du, among which abbreviations are unique. */
    public static final Set<String> OF_GNU_DU = Set.of("--all", "--apparent-size", "--block-size", "--bytes",
            "--count-links", "--dereference", "--dereference-args", "--exclude", "--exclude-from", "--files0-from",
            "--human-readable", "--inodes", "--max-depth", "--null", "--no-dereference", "--one-file-system",
            "--separate-dirs", "--si", "--summarize", "--threshold", "--time", "--time-style", "--total", "--help",
            "--version");

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec, false);
    private final CommonOptions common = new CommonOptions(spec, "--help");
    private final DuOptions options = new DuOptions(spec, common);
    private List<ByteString> roots = List.of();

    /** Defines the command for Picocli. */
    public DuCommand() {
        spec.name("du");
        common.addMetrics();
        spec.usageMessage()
                .header("Sum up the space of directories like GNU du, with many threads.")
                .description("%nPrints the allocated space of each directory below each ROOT, by default the working "
                        + "directory, with everything below it. Each file counts once, however many names it has.%n")
                .footer("%nExamples:", "  treehaul du -sh /data/run7", "  treehaul du -h -d 1 --sort size /data",
                        "  treehaul du -h --top 20 -a /data", "  treehaul du -h --by owner /data",
                        "  treehaul du -h -d 1 --index ~/data.space /data",
                        "%nExit codes: 0 all read, 2 nothing could be read, 20 interrupted, 23 some entries could not be read, "
                                + "24 some vanished.");
        Options.add(spec, Options.operands(ByteString.class, () -> roots, value -> roots = value), "ROOT",
                "A directory or file to sum up.");
    }

    @Override
    public Integer call() {
        options.check();
        SpaceUri index = options.index(select.isSelective());
        if (index != null) {
            try (Session session = Session.begin(common, options.isStreaming())) {
                return new IndexedUsage(session, options, index, roots).print().code();
            }
        }
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(options.symlinks())
                .withOneFileSystem(select.oneFileSystem)
                .withFilter(select.filter())
                .withThreads(common.threads)
                .withStatus(false);
        List<Root> from = select.roots(roots);
        try (Session session = Session.begin(common, options.isStreaming())) {
            // Only now, because another thread links the functions.
            return new LiveUsage(session, options, TreeWalker.of(Linux.calls(), walk), from).print().code();
        }
    }
}
