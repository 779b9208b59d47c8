// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.cli.args.Options;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.ConditionException;
import org.treehaul.core.condition.Field;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.condition.RowQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import picocli.CommandLine.Model.CommandSpec;

/** Conditions on entries, as the user gives them, and the option {@code --where}. */
public final class Conditions {

    private static final Set<String> OPERATORS = Set.of("=", "!=", "<", "<=", ">", ">=", "^=", "~=", "!~=");

    private static final Pattern SPACED = Pattern.compile(
            "([a-zA-Z][a-zA-Z-]*) +(" + String.join("|", OPERATORS).replace("^", "\\^") + ") +(.*)", Pattern.DOTALL);

    private final CommandSpec command;
    private final List<List<ByteString>> given = new ArrayList<>();
    private FileQuery where = FileQuery.all();

    /** Adds {@code --where} to a command. */
    public Conditions(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.value(ByteString.class, this::add, "--where"), "CONDITION",
                "Select only entries that meet CONDITION, such as 'size>1G' or 'kind=regular age>30d', in the language of find. "
                        + "Directories are still read.");
    }

    private void add(ByteString text) {
        List<ByteString> words = words(text);
        if (words.isEmpty()) {
            throw new UsageException(command.commandLine(), "--where: no condition is given; write 'size>1G'");
        }
        where = where.and(parse(command, "--where: ", words, false));
        given.add(words);
    }

    /** Returns the words of {@code --where} as given; of several options, those of each are in parentheses. */
    public List<ByteString> words() {
        if (given.size() < 2) {
            return given.stream().flatMap(List::stream).toList();
        }
        List<ByteString> all = new ArrayList<>();
        for (List<ByteString> words : given) {
            all.add(ByteString.of("("));
            all.addAll(words);
            all.add(ByteString.of(")"));
        }
        return all;
    }

    /** Returns the conditions of {@code --where}, all of which must hold. */
    public FileQuery where() {
        return where;
    }

    /**
     * Parses conditions.
     *
     * @param isIndex whether the entries are those of an index
     * @throws UsageException if they are wrong
     */
    public static FileQuery parse(CommandSpec command, List<ByteString> words, boolean isIndex) {
        return parse(command, "", words, isIndex);
    }

    private static FileQuery parse(CommandSpec command, String option, List<ByteString> words, boolean isIndex) {
        FileTimes files = Conditions::mtime;
        try {
            return FileQuery.parse(words.stream().map(Conditions::withoutBlanks).toList(),
                    isIndex ? ConditionContext.ofIndex(files) : ConditionContext.ofTrees(files));
        } catch (ConditionException e) {
            throw new UsageException(command.commandLine(), option + e.getMessage());
        }
    }

    /**
     * Parses conditions on rows with these fields, which may be joined with an index.
     *
     * @throws UsageException if they are wrong
     */
    public static RowQuery parse(CommandSpec command, List<ByteString> words, List<Field> fields) {
        try {
            return RowQuery.parse(words.stream().map(Conditions::withoutBlanks).toList(), fields,
                    ConditionContext.ofIndex(Conditions::mtime));
        } catch (ConditionException e) {
            throw new UsageException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** Returns a condition without the blanks around its operator, such as size>4K for 'size > 4K'. */
    public static ByteString withoutBlanks(ByteString condition) {
        String text = new String(condition.toBytes(), StandardCharsets.ISO_8859_1);
        Matcher spaced = SPACED.matcher(text);
        return spaced.matches()
                ? ByteString
                        .of((spaced.group(1) + spaced.group(2) + spaced.group(3)).getBytes(StandardCharsets.ISO_8859_1))
                : condition;
    }

    private static Timestamp mtime(ByteString path) throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return LongPath.status(access, path, false).mtime();
        }
    }

    /**
     * Returns the words of a text: a blank ends a word, unless a backslash is before it, or an operator is between two
     * blanks.
     */
    static List<ByteString> words(ByteString text) {
        List<ByteString> words = split(text);
        for (int i = words.size() - 2; i > 0; i--) {
            if (OPERATORS.contains(words.get(i).toString())) {
                ByteArrayOutputStream joined = new ByteArrayOutputStream();
                words.subList(i - 1, i + 2).forEach(word -> joined.writeBytes(word.toBytes()));
                words.subList(i - 1, i + 2).clear();
                words.add(i - 1, ByteString.of(joined.toByteArray()));
                i--;
            }
        }
        return words;
    }

    private static List<ByteString> split(ByteString text) {
        List<ByteString> words = new ArrayList<>();
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        byte[] bytes = text.toBytes();
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == ' ') {
                if (word.size() > 0) {
                    words.add(ByteString.of(word.toByteArray()));
                    word.reset();
                }
            } else if (bytes[i] == '\\' && i + 1 < bytes.length && bytes[i + 1] == ' ') {
                // The language has this escape of a byte for a blank.
                word.writeBytes(new byte[]{'\\', 'x', '2', '0'});
                i++;
            } else {
                word.write(bytes[i]);
                if (bytes[i] == '\\' && i + 1 < bytes.length) {
                    word.write(bytes[++i]);
                }
            }
        }
        return words;
    }
}
