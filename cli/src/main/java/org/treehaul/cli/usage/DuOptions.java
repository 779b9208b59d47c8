// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.time.Clock;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.summary.UsageGrouping;
import org.treehaul.core.walk.summary.UsageOptions;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul du} that define what is counted and how it is printed. */
final class DuOptions {

    private final CommandSpec command;
    private final CommonOptions common;
    private @Nullable Integer maxDepth;
    private boolean summarize;
    private boolean all;
    private boolean separate;
    private boolean countLinks;
    private boolean inodes;
    private boolean apparent;
    private boolean total;
    private boolean nul;
    private BlockSize size = BlockSize.KIBIBYTES;
    private @Nullable Threshold threshold;
    private UsageReport.@Nullable Order order;
    private @Nullable Integer top;
    private @Nullable GroupField by;
    private @Nullable String index;
    private Symlinks symlinks = Symlinks.NEVER;

    /** Adds the options to a command. */
    DuOptions(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        flag("Print other entries than directories too.", value -> all = value, "-a", "--all");
        Options.add(command, Options.value(Integer.class, value -> maxDepth = value, "-d", "--max-depth"), "N",
                "Print directories at most N levels below each ROOT.");
        flag("Print one line for each ROOT, as -d 0.", value -> summarize = value, "-s", "--summarize");
        flag("Print a line with the total of all roots at the end.", value -> total = value, "-c", "--total");
        flag("Leave subdirectories out of the sum of a directory.", value -> separate = value, "-S", "--separate-dirs");
        flag("Count a file with several names once for each name.", value -> countLinks = value, "-l", "--count-links");
        flag("Print sizes of files instead of allocated space.", value -> apparent = value, "--apparent-size");
        flag("Print numbers of entries instead of space.", value -> inodes = value, "--inodes");
        addSizes();
        addOutput();
        addLinks();
    }

    private void addSizes() {
        flag("Print sizes for people, such as 1.5G.", value -> size = BlockSize.HUMAN, "-h", "--human-readable");
        flag("Print sizes for people with powers of 1000.", value -> size = BlockSize.DECIMAL, "--si");
        flag("Print sizes of files in bytes, as --apparent-size -B 1.", value -> {
            apparent = value;
            size = BlockSize.BYTES;
        }, "-b", "--bytes");
        flag("Print sizes in KiB. This is the default.", value -> size = BlockSize.KIBIBYTES, "-k");
        flag("Print sizes in MiB.", value -> size = BlockSize.MEBIBYTES, "-m");
        Options.add(command, Options.value(String.class, value -> size = parse("--block-size", value, BlockSize::parse),
                "-B", "--block-size"), "SIZE", "Print sizes in units of SIZE, for example 1, 4K or M.");
    }

    private void addOutput() {
        Options.add(command,
                Options.value(String.class, value -> threshold = parse("--threshold", value, Threshold::parse), "-t",
                        "--threshold"),
                "SIZE", "Print only values of at least SIZE; after a minus sign, of at most SIZE.");
        Options.add(command, Options.value(Integer.class, value -> top = value, "--top"), "N",
                "Print only the N largest directories, or with -a the N largest entries of other "
                        + "kinds, or with --by the N largest groups; the largest first.");
        Options.add(command, Options.value(UsageReport.Order.class, value -> order = value, "--sort"), "ORDER",
                "Print the lines at the end: by size, the largest first, or by name. Default: none, each "
                        + "line as soon as it is known.");
        Options.add(command, Options.value(GroupField.class, value -> by = value, "--by"), "PROPERTY",
                "Print entries, sizes and allocated space for each owner, group, extension or age "
                        + "instead of directories.");
        Options.add(command, Options.value(String.class, value -> index = value, "--index"), "DIR",
                "Read the index in DIR, or at partitions:FILE or postgresql://HOST/DATABASE, which 'treehaul index' made, instead of the trees. Default ROOT: "
                        + "all indexed trees.");
        flag("End each line with NUL instead of a newline.", value -> nul = value, "-0", "--null");
    }

    private void addLinks() {
        flag("Follow no symbolic links. This is the default.", value -> symlinks = Symlinks.NEVER, "-P",
                "--no-dereference");
        flag("Follow symbolic links that are given as ROOT.", value -> symlinks = Symlinks.ROOTS, "-H", "-D",
                "--dereference-args");
        flag("Follow all symbolic links.", value -> symlinks = Symlinks.ALWAYS, "-L", "--dereference");
    }

    private interface Flag {
        void set(boolean value);
    }

    private void flag(String text, Flag setter, String... names) {
        Options.add(command, Options.flag(setter::set, names), text);
    }

    private interface Parser<V> {
        V parse(String text);
    }

    private <V> V parse(String option, String text, Parser<V> parser) {
        try {
            return parser.parse(text);
        } catch (IllegalArgumentException e) {
            throw common.usage(option + ": " + e.getMessage());
        }
    }

    /**
     * Returns the address of the index to read, or null if trees are read.
     *
     * @param isSelective whether options select the entries of trees
     * @throws org.treehaul.cli.common.UsageException if it is the address of another kind of space, or excludes other
     *         options
     */
    @Nullable SpaceUri index(boolean isSelective) {
        String given = index;
        if (given == null) {
            return null;
        }
        if (by != null) {
            throw common.usage(
                    "--index cannot be combined with --by; 'treehaul query --group-by' groups the entries of an index");
        }
        if (isSelective || symlinks != Symlinks.NEVER) {
            throw common.usage(
                    "--index sums up all entries of the index; it cannot be combined with -x, --include, --exclude, -D and -L");
        }
        return SpaceOption.space(command, given);
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        if (summarize && all) {
            throw common.usage("-s prints one line for each ROOT, so it cannot be combined with -a");
        }
        if (summarize && maxDepth != null && maxDepth != 0) {
            throw common.usage("-s means -d 0, so it cannot be combined with -d " + maxDepth);
        }
        if (maxDepth != null) {
            common.checkBetween("--max-depth", 0, Long.MAX_VALUE, maxDepth);
        }
        if (top != null) {
            common.checkBetween("--top", 1, Long.MAX_VALUE, top);
        }
        if (top != null && order != null) {
            throw common.usage("--top prints the largest first, so it cannot be combined with --sort");
        }
        if (by != null && (all || separate || nul || maxDepth != null || order != null || threshold != null)) {
            throw common.usage(
                    "--by prints groups of all entries, so it cannot be combined with -a, -d, -S, -t, -0 and --sort");
        }
        if (nul && common.json) {
            throw common.usage("-0 is for lines of text, so it cannot be combined with --json");
        }
    }

    Symlinks symlinks() {
        return symlinks;
    }

    boolean hasTotal() {
        return total;
    }

    boolean countsLinks() {
        return countLinks;
    }

    /** Returns the property that makes groups; null if directories are summed up. */
    @Nullable GroupField by() {
        return by;
    }

    /** Returns whether lines are printed while the walk runs. */
    boolean isStreaming() {
        return by == null && top == null && (order == null || order == UsageReport.Order.none);
    }

    UsageOptions usage() {
        int depth = summarize ? 0 : maxDepth == null ? Integer.MAX_VALUE : maxDepth;
        return new UsageOptions(depth, all, separate, countLinks);
    }

    UsageGrouping<GroupField.Key> grouping(GroupField field) {
        return field.grouping(Clock.systemUTC().instant().getEpochSecond());
    }

    private UsageFormat format() {
        UsageFormat.Measure measure = inodes
                ? UsageFormat.Measure.ENTRIES
                : apparent ? UsageFormat.Measure.APPARENT : UsageFormat.Measure.ALLOCATED;
        return new UsageFormat(measure, size);
    }

    UsageReport report(Session session) {
        UsageReport.Order chosen = top != null
                ? UsageReport.Order.size
                : order == null ? UsageReport.Order.none : order;
        return new UsageReport(session, format(), nul, threshold, chosen, most(), top != null && all);
    }

    GroupTable table(Session session, GroupField field) {
        return new GroupTable(session, format(), field);
    }

    /** Returns how many lines or groups are printed at most. */
    int most() {
        return top == null ? Integer.MAX_VALUE : top;
    }
}
