// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TotalCount;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul cmp} that select the attributes to compare and define which values count as equal. */
final class ComparisonOptions {

    private final CommonOptions common;
    private final SelectOptions select;
    private final Conditions conditions;
    private final List<String> ignored = new ArrayList<>();
    private final List<String> compared = new ArrayList<>();
    private boolean content;
    private double window;
    private boolean trusted;
    private boolean followRoots;
    private @Nullable ByteSize chunkSize;

    /** Adds the options to a command. */
    ComparisonOptions(CommandSpec command, CommonOptions common, SelectOptions select) {
        common.addMetrics();
        common.addOnComplete();
        this.common = common;
        this.select = select;
        conditions = new Conditions(command);
        Options.add(command, Options.flag(value -> content = value, "--content"),
                "Compare the data of files too, which reads both trees completely.");
        Options.add(command, Options.value(String.class, ignored::add, "--ignore"), "LIST",
                "Do not compare these: only-in-a, only-in-b, size, mode, owner, group, ownership, mtime, times, target, "
                        + "links, device, xattr, acl.");
        Options.add(command, Options.value(String.class, compared::add, "--compare"), "LIST",
                "Compare these too: atime, ctime, btime, content.");
        Options.add(command, Options.value(Double.class, value -> window = value, "--modify-window"), "SECONDS",
                "Treat times as equal that differ by no more than this, for example 2 for FAT on a server.");
        Options.add(command, Options.flag(value -> trusted = value, "--trusted"),
                "Compare trusted.* attributes too, which only root can read.");
        Options.add(command, Options.flag(value -> followRoots = value, "-H"),
                "Follow A or B if it is a symbolic link.");
        Options.add(command, Options.value(ByteSize.class, value -> chunkSize = value, "--chunk-size"), "SIZE",
                "Compare files larger than SIZE in chunks, by several threads. Default: 64M.");
    }

    /**
     * Returns the options of the comparison.
     *
     * @throws CommandLine.ParameterException for an unknown word or a number out of its range
     */
    CompareOptions toCompareOptions() {
        common.checkNotNegative("--modify-window", window);
        if (chunkSize != null) {
            common.checkBetween("--chunk-size", 1, Long.MAX_VALUE, chunkSize.bytes());
        }
        try {
            CompareOptions options = CompareOptions.defaults()
                    .withContent(content)
                    .withTrusted(trusted)
                    .withFollowRoots(followRoots)
                    .withOneFileSystem(select.oneFileSystem)
                    .withFilter(select.filter())
                    .withWhere(conditions.where())
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

    /** Starts counting the entries or bytes of the first tree, for the progress. */
    static TotalCount count(FileSystemCalls calls, Root a, CompareOptions options) {
        WalkOptions walk = WalkOptions.defaults()
                .withOneFileSystem(options.oneFileSystem())
                .withFilter(options.filter())
                .withWhere(options.where());
        return TotalCount.start(calls, walk, List.of(a),
                new TotalCount.Work(options.compares(DifferenceKind.CONTENT) ? 1 : 0, false, false));
    }
}
