// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.args.UserCommand;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code find}: what is found, and what is printed or run. */
final class FindOptions {

    // A root that looks so is given as ./NAME.
    private static final Pattern CONDITION = Pattern.compile("[a-zA-Z][a-zA-Z-]*(?:!?~=|!=|\\^=|[=<>]).*",
            Pattern.DOTALL);
    private static final Pattern PATTERN = Pattern.compile("[*?\\[]");
    private static final List<String> WORDS = List.of("(", ")", "not", "or", "and");

    private final CommandSpec command;
    private final CommonOptions common;
    private List<ByteString> operands = List.of();
    private @Nullable Long minDepth;
    private @Nullable Long maxDepth;
    private boolean isLong;
    private @Nullable ByteString format;
    private List<ByteString> each = List.of();
    private List<ByteString> batch = List.of();
    private @Nullable String index;

    long limit = Long.MAX_VALUE;
    Symlinks symlinks = Symlinks.NEVER;

    /** Adds the options to a command. */
    FindOptions(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        Options.add(command,
                Options.operands(ByteString.class, () -> operands, value -> operands = value).hideParamSyntax(true),
                "ROOT_OR_CONDITION",
                "Trees to search, and then conditions that entries must meet, for example 'size>1G' or 'name=*.h5'.");
        Options.add(command, Options.value(String.class, value -> index = value, "--index"), "DIR",
                "Search the index in DIR, or at partitions:FILE or postgresql://HOST/DATABASE, which 'treehaul index' made, instead of the "
                        + "trees. Default ROOT: all indexed trees.");
        Options.add(command, Options.value(Long.class, value -> maxDepth = value, "--max-depth"), "N",
                "Find only entries at most N levels below their ROOT, which is level 0.");
        Options.add(command, Options.value(Long.class, value -> minDepth = value, "--min-depth"), "N",
                "Find only entries at least N levels below their ROOT.");
        Options.add(command, Options.value(Long.class, value -> limit = value, "--limit"), "N", "End after N entries.");
        Options.add(command, Options.flag(value -> isLong = value, "-l", "--long"),
                "Print mode, links, owner, group, size, time and path of each entry.");
        Options.add(command, Options.value(ByteString.class, value -> format = value, "--printf"), "FORMAT",
                "Print each entry in a FORMAT with the directives of find -printf, such as '%%s %%p\\n'.");
        Options.add(command, Options.value(String.class, value -> {
        }, "--exec").preprocessor(new Command(words -> each = words)), "COMMAND",
                "Run COMMAND for each entry, several at a time; it ends with ';' or with the last argument. The path takes the place of {}, "
                        + "or follows COMMAND. No shell reads it.");
        Options.add(command, Options.value(String.class, value -> {
        }, "--exec-batch").preprocessor(new Command(words -> batch = words)), "COMMAND",
                "Run COMMAND with as many paths as fit on a command line.");
        Options.add(command, Options.flag(value -> symlinks = Symlinks.NEVER, "-P", "--no-dereference"),
                "Follow no symbolic links. This is the default.");
        Options.add(command, Options.flag(value -> symlinks = Symlinks.ROOTS, "-H"),
                "Follow symbolic links that are given as ROOT.");
        Options.add(command, Options.flag(value -> symlinks = Symlinks.ALWAYS, "-L", "--dereference"),
                "Follow all symbolic links.");
    }

    /** Takes the words of a command. */
    private static final class Command implements IParameterPreprocessor {

        // No record: Picocli asks for its hash, for which the JVM would make 14 classes at each start.
        private final Consumer<List<ByteString>> to;

        Command(Consumer<List<ByteString>> to) {
            this.to = to;
        }

        @Override
        @SuppressWarnings("JdkObsolete") // a type of Picocli's interface
        public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec arg, Map<String, Object> info) {
            String joined = args.peek();
            to.accept(
                    UserCommand.words(joined).stream().map(word -> ByteString.of(ExactArguments.bytes(word))).toList());
            return false;
        }
    }

    /** Returns the roots: the operands before the first condition. */
    List<ByteString> roots() {
        return operands.subList(0, conditionsFrom());
    }

    private int conditionsFrom() {
        int at = 0;
        while (at < operands.size() && !isCondition(operands.get(at))) {
            at++;
        }
        return at;
    }

    private static boolean isCondition(ByteString operand) {
        String text = new String(Conditions.withoutBlanks(operand).toBytes(), StandardCharsets.ISO_8859_1);
        return WORDS.contains(text) || CONDITION.matcher(text).matches();
    }

    /** Returns the conditions. */
    FileQuery where() {
        FileQuery where = Conditions.parse(command, operands.subList(conditionsFrom(), operands.size()), false);
        long first = depth("--min-depth", minDepth, 0);
        long last = depth("--max-depth", maxDepth, FileField.DEPTH.domain().high());
        return first > last
                ? where.with(FileField.DEPTH, new NumberSet(List.of(), false))
                : where.with(FileField.DEPTH, NumberSet.of(new NumberSet.Range(first, last)));
    }

    private long depth(String option, @Nullable Long given, long otherwise) {
        if (given != null && given < 0) {
            throw common.usage(option + " must be 0 or more, not " + given);
        }
        return given == null ? otherwise : given;
    }

    /**
     * Returns the address of the index to search, or null if trees are searched.
     *
     * @param isSelective whether options select the entries of trees
     * @throws org.treehaul.cli.common.UsageException if it is the address of another kind of space, or excludes other
     *         options
     */
    @Nullable SpaceUri index(boolean isSelective) {
        if (index != null && (isSelective || symlinks != Symlinks.NEVER)) {
            throw common.usage("--index cannot be combined with -x, --include, --exclude, --files-from, -H and -L;"
                    + " use conditions, such as not 'path=*/.git/*'");
        }
        return index == null ? null : SpaceOption.space(command, index);
    }

    // Rejects patterns for which the shell found no file.
    private void checkRoots() {
        for (ByteString root : roots()) {
            if (index == null && PATTERN.matcher(root.toString()).find() && isMissing(root)) {
                throw common.usage("'" + root + "' does not exist; to find names by a pattern, write 'name=" + root
                        + "' after the roots");
            }
        }
    }

    private static boolean isMissing(ByteString root) {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return LongPath.find(access, root, false) == null;
        } catch (SystemCallException e) {
            // The walk reports it.
            return false;
        }
    }

    /** Checks conditions that the option types cannot express. */
    void check(boolean endsWithNul) {
        checkRoots();
        if (limit < 1) {
            throw common.usage("--limit must be 1 or more, not " + limit);
        }
        List<String> given = new ArrayList<>();
        if (common.json) {
            given.add("--json");
        }
        if (endsWithNul) {
            given.add("-0");
        }
        if (isLong) {
            given.add("--long");
        }
        if (format != null) {
            given.add("--printf");
        }
        if (isGiven("--exec")) {
            given.add("--exec");
        }
        if (isGiven("--exec-batch")) {
            given.add("--exec-batch");
        }
        if (given.size() > 1) {
            throw common.usage(given.get(0) + " and " + given.get(1) + " cannot be combined");
        }
        if (isGiven("--exec") && each.isEmpty() || isGiven("--exec-batch") && batch.isEmpty()) {
            throw common.usage(given.getFirst() + " needs a command, such as " + given.getFirst() + " ls -ld ';'");
        }
        checkPlace();
    }

    // With 'mv {} DIR' the appended paths would come after the directory.
    private void checkPlace() {
        int place = batch.indexOf(RunCommand.PLACE);
        if (place >= 0 && place < batch.size() - 1) {
            throw common.usage("--exec-batch appends the paths, so {} can only be the last word; "
                    + "cp and mv take the directory before it: mv -t DIR {}");
        }
    }

    private boolean isGiven(String option) {
        return command.commandLine().getParseResult() != null
                && command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Returns the format in which entries are printed; null for paths and JSON. */
    @Nullable PrintFormat format(boolean escapes) {
        ByteString given = isLong ? ByteString.of(PrintFormat.LONG) : format;
        try {
            return given == null ? null : new PrintFormat(given.toBytes(), escapes);
        } catch (IllegalArgumentException e) {
            throw common.usage("--printf: " + e.getMessage());
        }
    }

    /** Returns the command that is run; null if none is. */
    @Nullable RunCommand toRun() {
        if (each.isEmpty() && batch.isEmpty()) {
            return null;
        }
        return each.isEmpty()
                ? new RunCommand(batch, true, common.threads)
                : new RunCommand(each, false, common.threads);
    }
}
