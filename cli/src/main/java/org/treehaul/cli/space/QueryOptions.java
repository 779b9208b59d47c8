// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Terminal;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** Selects the entries of an index, and prints their paths. */
final class QueryOptions {

    // A message stays readable if an index has many roots.
    private static final int MOST_NAMED_ROOTS = 5;

    private final CommandSpec command;
    private List<ByteString> conditions = List.of();
    private @Nullable ByteString below;
    private boolean nul;

    /** Adds the options to a command. */
    QueryOptions(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.operands(ByteString.class, () -> conditions, value -> conditions = value),
                "CONDITION",
                "A condition that entries must meet, for example 'size>1G' or 'name=*.h5'. Default: all entries.");
        Options.add(command, Options.value(ByteString.class, value -> below = value, "--below"), "DIR",
                "Select only entries below DIR, and print their paths relative to it, for cp --files-from.");
        Options.add(command, Options.flag(value -> nul = value, "-0", "--null"),
                "End each path with NUL instead of a newline.");
    }

    /** Returns whether each path ends with a NUL. */
    boolean isNul() {
        return nul;
    }

    /** Returns the query. */
    FileQuery query() {
        FileQuery query = Conditions.parse(command, conditions, true);
        return belowCondition().map(below -> query.and(Conditions.parse(command, List.of(below), true)))
                .map(this::withoutRoot)
                .orElse(query);
    }

    // The path of the root of the file system begins as all others do, but the root is not below itself.
    private FileQuery withoutRoot(FileQuery query) {
        ByteString top = top();
        return top == null || top.length() > 1
                ? query
                : query.with(FileField.NAME, new TextCondition(true, List.of(BytePattern.of(top)), false));
    }

    /** Returns the words of the conditions as given. */
    List<ByteString> conditions() {
        return conditions;
    }

    /** Returns the condition on the path that {@code --below} is. */
    Optional<ByteString> belowCondition() {
        return Optional.ofNullable(top())
                .map(top -> ByteString.of("path^=" + escaped(top) + (top.length() > 1 ? "/" : "")));
    }

    // A backslash and a comma have a meaning in the text of a condition.
    private static String escaped(ByteString path) {
        StringBuilder text = new StringBuilder();
        for (byte b : path.toBytes()) {
            text.append("\\x").append(String.format(Locale.ROOT, "%02x", b));
        }
        return text.toString();
    }

    private @Nullable ByteString top() {
        ByteString given = below;
        if (given == null) {
            return null;
        }
        try {
            return AbsolutePath.of(Linux.calls(), given);
        } catch (SystemCallException e) {
            throw new UsageException(command.commandLine(), "--below " + given + ": " + e.getMessage());
        }
    }

    /**
     * Checks that the index can have entries below the directory that the user gave; reports that there is no index.
     *
     * @throws UsageException if no indexed tree has entries there, as after a misspelt path
     */
    void checkBelow(Session session, FileIndex index) {
        ByteString top = top();
        List<ByteString> roots = index.roots().stream().map(IndexedRoot::root).toList();
        if (roots.isEmpty()) {
            session.screen().note(SpaceOption.NO_INDEX);
        }
        if (top != null && !roots.isEmpty() && roots.stream().noneMatch(root -> overlap(root, top))) {
            throw new UsageException(command.commandLine(), "--below " + below + ": not in this index, which contains "
                    + roots.stream().limit(MOST_NAMED_ROOTS).map(ByteString::toString).collect(Collectors.joining(", "))
                    + (roots.size() > MOST_NAMED_ROOTS ? ", ..." : ""));
        }
    }

    /** Reports that the index has no directory of the path that the user gave, as after a misspelt name. */
    void explainBelow(Session session, FileIndex index) {
        ByteString top = top();
        if (top == null
                || index.roots()
                        .stream()
                        .anyMatch(root -> root.root().equals(top) || AbsolutePath.isBelow(root.root(), top))
                || index.contains(top)) {
            return;
        }
        session.flush();
        session.screen()
                .note("--below " + below
                        + ": the index has no such directory; it may be misspelt, or newer than the index");
    }

    /**
     * Reports when the trees were read that can be in the answer: the oldest of them. Programs read no terminal, so
     * they get the report only if they ask for it.
     */
    void printAge(Session session, FileIndex index, boolean isWanted) {
        if (!isForPeople(isWanted)) {
            return;
        }
        ByteString top = top();
        List<IndexedRoot> searched = index.roots()
                .stream()
                .filter(root -> top == null || overlap(root.root(), top))
                .sorted(Comparator.comparingLong(IndexedRoot::finished))
                .toList();
        if (!searched.isEmpty()) {
            // The answer comes first.
            session.flush();
            IndexedRoot oldest = searched.getFirst();
            session.screen()
                    .note(oldest.root() + " was read " + Text.dateTime(IndexUpkeep.time(oldest))
                            + (searched.size() == 1 ? "" : ", the other trees later"));
        }
    }

    /** Reports that the answer of a space over several stores is no snapshot, to the same readers. */
    static void explainMoment(Session session, SpaceUri space, boolean isWanted) {
        if (isForPeople(isWanted) && space.scheme().equals(SpaceUri.PARTITIONS)) {
            session.flush();
            session.screen()
                    .note("the answer is no snapshot: the partitions were read one after another,"
                            + " and other processes may have changed them");
        }
    }

    private static boolean isForPeople(boolean isWanted) {
        return isWanted || Terminal.is(Terminal.OUT) && Terminal.is(Terminal.ERR);
    }

    private static boolean overlap(ByteString a, ByteString b) {
        return a.equals(b) || AbsolutePath.isBelow(a, b) || AbsolutePath.isBelow(b, a);
    }

    /** Returns the field with a name. */
    FileField field(String option, String name) {
        return FileField.named(name)
                .orElseThrow(() -> new UsageException(command.commandLine(), option + ": there is no field '"
                        + ExactArguments.printable(name) + "'; fields: " + FileField.names()));
    }

    /** Returns the printer for entries. */
    Printer printer(Session session) {
        ByteString top = top();
        return new Printer(session, nul, top == null ? 0 : top.length() == 1 ? 1 : top.length() + 1);
    }

    /** Prints entries, one per line. */
    static final class Printer {

        private final Output output;
        private final boolean endsWithNul;
        private final boolean escapes;
        private final int cut;
        private final @Nullable JsonLines json;

        private Printer(Session session, boolean endsWithNul, int cut) {
            this.output = session.output();
            this.endsWithNul = endsWithNul;
            this.escapes = session.escapes() && !endsWithNul;
            this.cut = cut;
            this.json = session.json().orElse(null);
        }

        /** Prints an entry, as a JSON line of the given type, or after the given text. */
        void print(String type, String before, FileTuple tuple) {
            if (json != null) {
                synchronized (json) {
                    FileJson.write(json, type, relative(tuple.path()), tuple);
                }
                return;
            }
            print(before, relative(tuple.path()));
        }

        /** Prints a path, which is no JSON. */
        void print(ByteString path) {
            print("", relative(path));
        }

        private ByteString relative(ByteString path) {
            return cut == 0 ? path : ByteString.of(Arrays.copyOfRange(path.toBytes(), cut, path.length()));
        }

        private void print(String before, ByteString path) {
            byte[] head = (endsWithNul ? "" : before).getBytes(StandardCharsets.UTF_8);
            byte[] bytes = escapes ? path.toString().getBytes(StandardCharsets.UTF_8) : path.toBytes();
            byte[] line = Arrays.copyOf(head, head.length + bytes.length + 1);
            System.arraycopy(bytes, 0, line, head.length, bytes.length);
            line[line.length - 1] = (byte) (endsWithNul ? 0 : '\n');
            output.write(line, line.length);
        }

        /** Flushes all entries printed so far. */
        void flush() {
            if (json != null) {
                synchronized (json) {
                    json.flush();
                }
            }
            output.flush();
        }
    }
}
