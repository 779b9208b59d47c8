// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.EntryJson;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.Field;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.RowQuery;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.WorkIndex;
import org.treehaul.tuplespace.transfer.WorkKind;
import org.treehaul.tuplespace.transfer.WorkRow;
import picocli.CommandLine.Model.CommandSpec;

/** The options of a query about transfers instead of files, and its answer. */
final class WorkAnswer {

    // The fields that users need most often; --json prints all.
    private static final Map<WorkKind, List<String>> SHOWN = Map.of(WorkKind.TRANSFERS,
            List.of("transfer", "state", "entries-done", "entries", "failed", "user", "source"), WorkKind.BATCHES,
            List.of("transfer", "batch", "state", "attempts", "entries-done", "entries", "failed", "node"),
            WorkKind.ATTEMPTS,
            List.of("transfer", "batch", "attempt", "state", "entries", "failed", "started", "worker"));

    private final CommandSpec command;
    private final QueryOptions which;
    private final CommonOptions common;
    private final List<WorkKind> kinds = new ArrayList<>();

    /** Adds the options to a command. */
    WorkAnswer(CommandSpec command, QueryOptions which, CommonOptions common) {
        this.command = command;
        this.which = which;
        this.common = common;
        add(WorkKind.TRANSFERS, "Query the transfers that are published in the space instead of its files.");
        add(WorkKind.BATCHES, "Query their batches.");
        add(WorkKind.ATTEMPTS, "Query the attempts at their batches.");
        add(WorkKind.FAILURES,
                "Query the failures of their entries, and print the paths. Conditions may also name fields of the files, "
                        + "if these are in the index.");
    }

    private void add(WorkKind kind, String description) {
        Options.add(command, Options.flag(value -> {
            if (value) {
                kinds.add(kind);
            }
        }, "--" + kind.title()), description);
    }

    /** Returns whether the query is about transfers. */
    boolean isWanted() {
        return !kinds.isEmpty();
    }

    /** Prints the answer: the number of rows, groups of them, or the rows. */
    void print(Session session, SpaceUri space, boolean isCount, @Nullable String groupBy) {
        WorkKind kind = kinds.getFirst();
        RowQuery query = query(kind);
        try (WorkIndex index = WorkIndex.open(space); Stream<WorkRow> rows = index.rows(kind, query)) {
            if (isCount) {
                long count = rows.takeWhile(row -> session.isWanted()).count();
                session.json()
                        .ifPresentOrElse(json -> json.begin("count").number("count", count).end(),
                                () -> session.output().line(Long.toString(count)));
            } else if (groupBy != null) {
                printGroups(session, rows, field(kind, "--group-by", groupBy));
            } else {
                rows.takeWhile(row -> session.isWanted()).forEach(row -> print(session, row));
            }
            session.flush();
            if (query.fields().stream().anyMatch(WorkAnswer::isOfIndex) && !index.hasFiles()) {
                session.screen()
                        .note("the space has no index of files, so no entry has their fields; 'treehaul index' makes one");
            }
        }
    }

    /** Checks conditions that the option types cannot express. */
    void check(boolean hasOtherAnswer, @Nullable String groupBy) {
        if (kinds.size() > 1) {
            throw common.usage("only one of --transfers, --batches, --attempts and --failures is possible");
        }
        if (hasOtherAnswer) {
            throw common.usage("--sum, --top and --by are for files; with --" + kinds.getFirst().title()
                    + " use --count or --group-by");
        }
        if (which.isNul() && kinds.getFirst() != WorkKind.FAILURES) {
            throw common.usage("-0 is for lists of paths only");
        }
        if (groupBy != null) {
            field(kinds.getFirst(), "--group-by", groupBy);
        }
        query(kinds.getFirst());
    }

    private RowQuery query(WorkKind kind) {
        List<ByteString> words = new ArrayList<>(which.conditions());
        Optional<ByteString> below = which.belowCondition();
        if (below.isPresent()) {
            if (kind != WorkKind.FAILURES) {
                throw common.usage("--below is for paths: of files, or of --failures");
            }
            if (!words.isEmpty()) {
                words.addFirst(ByteString.of("("));
                words.add(ByteString.of(")"));
            }
            words.add(below.get());
            // The path of the root of the file system begins as all others do, but the root is not below itself.
            words.add(ByteString.of("path!=/"));
        }
        return Conditions.parse(command, words, kind.fields());
    }

    private Field field(WorkKind kind, String option, String name) {
        return kind.fields()
                .stream()
                .filter(field -> field.label().equals(name) && !field.isAlias())
                .findFirst()
                .orElseThrow(() -> common
                        .usage(option + ": there is no field '" + ExactArguments.printable(name) + "'; fields: "
                                + kind.fields()
                                        .stream()
                                        .filter(field -> !field.isAlias())
                                        .map(Field::label)
                                        .collect(Collectors.joining(" "))));
    }

    private static boolean isOfIndex(Field field) {
        return field.file()
                .filter(one -> one != FileField.PATH && one != FileField.DIRECTORY && one != FileField.NAME
                        && one != FileField.EXTENSION)
                .isPresent();
    }

    private void printGroups(Session session, Stream<WorkRow> rows, Field field) {
        Map<String, Long> groups = new TreeMap<>();
        rows.takeWhile(row -> session.isWanted())
                .forEach(row -> groups.merge(row.print(field).orElse(""), 1L, Long::sum));
        int width = groups.values().stream().mapToInt(count -> Text.count(count).length()).max().orElse(0);
        groups.entrySet()
                .stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(group -> session.json()
                        .ifPresentOrElse(
                                json -> json.begin("group")
                                        .text("field", field.label())
                                        .text("value", group.getKey())
                                        .number("count", group.getValue())
                                        .end(),
                                () -> session.output()
                                        .line(Text.right(Text.count(group.getValue()), width) + "  "
                                                + (group.getKey().isEmpty()
                                                        ? "(no " + field.label() + ")"
                                                        : group.getKey()))));
    }

    private void print(Session session, WorkRow row) {
        if (session.json().isPresent()) {
            printJson(session.json().get(), row);
        } else if (row.kind() == WorkKind.FAILURES) {
            which.printer(session).print(row.path());
        } else {
            List<String> shown = SHOWN.getOrDefault(row.kind(), List.of());
            session.output()
                    .line(row.kind()
                            .fields()
                            .stream()
                            .filter(field -> shown.contains(field.label()))
                            .sorted(Comparator.comparingInt(field -> shown.indexOf(field.label())))
                            .map(field -> text(row, field))
                            .collect(Collectors.joining("\t")));
        }
    }

    private static String text(WorkRow row, Field field) {
        Long time = field.isTime() ? row.number(field) : null;
        return time == null ? row.print(field).orElse("-") : EntryJson.time(Timestamp.ofNanos(time));
    }

    private static void printJson(JsonLines json, WorkRow row) {
        json.begin(row.kind().one());
        for (Field field : row.kind().fields()) {
            if (field.isAlias()) {
                continue;
            }
            String name = field.label().replace('-', '_');
            if (field.isText()) {
                ByteString text = row.text(field);
                if (text != null && field.isOf(FileField.HASH)) {
                    json.text(name, HexFormat.of().formatHex(text.toBytes()));
                } else if (text != null && field.isOf(FileField.SERVER)) {
                    EntryJson.servers(json, ServerNames.of(text));
                } else if (text != null) {
                    json.path(name, text);
                }
            } else {
                Long number = row.number(field);
                if (number != null) {
                    printJson(json, field, name, number);
                }
            }
        }
        json.end();
    }

    private static void printJson(JsonLines json, Field field, String name, long number) {
        if (field.isTime()) {
            json.text(name, EntryJson.time(Timestamp.ofNanos(number)));
        } else if (field.isFlag()) {
            json.flag(name, number != 0);
        } else if (field.isWord() || field.isOf(FileField.MODE)) {
            json.text(name, field.print(number));
        } else {
            json.unsigned(name, number);
        }
    }
}
