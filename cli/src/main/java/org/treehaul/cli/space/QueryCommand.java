// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.tuplespace.files.Accounts;
import org.treehaul.tuplespace.files.FileField;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileQuery;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceException;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul query}: searches the index that {@code index} has made. */
public final class QueryCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final QueryOptions which = new QueryOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private boolean count;
    private @Nullable String sum;
    private @Nullable String groupBy;
    private @Nullable Integer top;
    private @Nullable String by;

    /** Defines the command for Picocli. */
    public QueryCommand() {
        spec.name("query");
        spec.usageMessage()
                .header("Query an index.")
                .customSynopsis("treehaul query [OPTION]... --space DIR [CONDITION]...")
                .description(
                        "%nPrints the paths of the entries that meet every CONDITION: a field, an operator and values. Fields: "
                                + FileField.names() + ". Operators: = != < <= > >=, and ^= for a prefix. "
                                + "Quote conditions, because the shell interprets <, > and *.%n")
                .footer("%nExamples:", "  treehaul query --space ~/scratch.space kind=regular owner=alice 'size>1G'",
                        "  treehaul query --space ~/scratch.space --group-by owner 'mtime<-1y'",
                        "  treehaul query --space ~/scratch.space -0 --below /scratch kind=regular 'name=*.h5' |",
                        "    treehaul cp -aT -0 --files-from - /scratch /archive",
                        "%nExit codes: 0 done, whether or not entries were found; 2 wrong usage, or the index cannot be used; 20 interrupted.");
        spec.addOption(
                Options.flag(value -> count = value, "--count").description("Print the number of entries.").build());
        spec.addOption(Options.value(String.class, value -> sum = value, "--sum")
                .paramLabel("FIELD")
                .description("Print the sum of size, blocks or links.")
                .build());
        spec.addOption(Options.value(String.class, value -> groupBy = value, "--group-by")
                .paramLabel("FIELD")
                .description("Print the number of entries and of bytes for each value of FIELD.")
                .build());
        spec.addOption(Options.value(Integer.class, value -> top = value, "--top")
                .paramLabel("N")
                .description("Print the N entries with the largest values of the field --by, largest first.")
                .build());
        spec.addOption(Options.value(String.class, value -> by = value, "--by")
                .paramLabel("FIELD")
                .description("With --top: size, blocks, links, a time or generation. Default: size.")
                .build());
    }

    @Override
    public Integer call() {
        common.check();
        checkOptions();
        FileQuery query = which.query();
        // A query ends before a bar would be useful, and a bar would break up the results.
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            try (FileIndex index = FileIndex.open(space.directory())) {
                answer(session, index, query);
            } catch (SpaceException e) {
                session.screen().error(space.explain(e));
                return ExitCode.TROUBLE.code();
            } catch (UncheckedIOException e) {
                session.screen().error(String.valueOf(e.getMessage()));
                return ExitCode.TROUBLE.code();
            } catch (ArithmeticException e) {
                session.screen().error("the sum is more than 8 EiB; query parts of it");
                return ExitCode.TROUBLE.code();
            }
            boolean isComplete = !session.cancellation().isCancelled() && !session.output().isReaderGone();
            return session.end(session.problems().counts(), isComplete).code();
        }
    }

    private void checkOptions() {
        long answers = Stream.of(count, sum != null, groupBy != null, top != null).filter(given -> given).count();
        if (answers > 1) {
            throw common.usage("--count, --sum, --group-by and --top exclude each other");
        }
        if (by != null && top == null) {
            throw common.usage("--by needs --top N");
        }
        if (top != null && top < 1) {
            throw common.usage("--top must be 1 or more, not " + top);
        }
        if (which.isNul() && (common.json || count || sum != null || groupBy != null)) {
            throw common.usage("-0 is for lists of paths only");
        }
        if (sum != null && !which.field("--sum", sum).isAmount()) {
            throw common.usage("--sum must be size, blocks or links, not " + sum);
        }
        if (groupBy != null && which.field("--group-by", groupBy) == FileField.PATH) {
            throw common.usage("no two entries have the same path; group by directory or name");
        }
        if (top != null && !topField().isOrdered()) {
            throw common.usage("--by must be size, blocks, links, a time or generation, not " + by);
        }
        space.directory();
    }

    private FileField topField() {
        return by == null ? FileField.SIZE : which.field("--by", by);
    }

    private void answer(Session session, FileIndex index, FileQuery query) {
        Optional<JsonLines> json = session.json();
        if (count) {
            long counted = index.count(query);
            json.ifPresentOrElse(to -> to.begin("count").number("count", counted).end(),
                    () -> session.output().line(Long.toString(counted)));
        } else if (sum != null) {
            String field = sum;
            long added = index.sum(query, which.field("--sum", field));
            json.ifPresentOrElse(to -> to.begin("sum").text("field", field).number("sum", added).end(),
                    () -> session.output().line(Long.toString(added)));
        } else if (groupBy != null) {
            groups(session, which.field("--group-by", groupBy), index);
        } else if (top != null) {
            QueryOptions.Printer printer = which.printer(session);
            try (Stream<FileTuple> found = index.top(query, topField(), top)) {
                found.takeWhile(tuple -> isWanted(session))
                        .forEach(tuple -> printer.print("entry", shown(topField(), tuple) + "\t", tuple));
            }
            printer.flush();
        } else {
            list(session, index, query);
        }
    }

    private static String shown(FileField field, FileTuple tuple) {
        Long number = field.number(tuple);
        return number == null ? "" : FileIndex.print(field, number);
    }

    private static boolean isWanted(Session session) {
        return session.output().isUsable() && !session.cancellation().isCancelled();
    }

    private void list(Session session, FileIndex index, FileQuery query) {
        QueryOptions.Printer printer = which.printer(session);
        try (Stream<FileTuple> found = index.entries(query)) {
            found.takeWhile(tuple -> isWanted(session)).forEach(tuple -> printer.print("entry", "", tuple));
        }
        printer.flush();
    }

    private void groups(Session session, FileField field, FileIndex index) {
        Accounts accounts = Accounts.system();
        try (FileGroups groups = index.groupBy(which.query(), field)) {
            if (session.json().isPresent()) {
                print(session, groups, group -> json(session.json().get(), accounts, field, group));
                return;
            }
            int[] widths = new int[3];
            try (Stream<FileGroup> all = groups.stream()) {
                all.map(QueryCommand::row).forEach(row -> {
                    for (int i = 0; i < widths.length; i++) {
                        widths[i] = Math.max(widths[i], row.get(i).length());
                    }
                });
            }
            print(session, groups, group -> {
                List<String> row = row(group);
                session.output()
                        .line(Text.right(row.get(0), widths[0]) + "  " + Text.right(row.get(1), widths[1]) + "  "
                                + Text.right(row.get(2), widths[2]) + "  "
                                + (isAccount(field) ? name(accounts, field, group) : group.value()));
            });
        }
    }

    private static void print(Session session, FileGroups groups, Consumer<FileGroup> printer) {
        try (Stream<FileGroup> all = groups.stream()) {
            all.takeWhile(group -> isWanted(session)).forEach(printer);
        }
    }

    private static List<String> row(FileGroup group) {
        return List.of(Text.count(group.count()), Text.count(group.size()), Text.bytes(group.size()));
    }

    private static void json(JsonLines json, Accounts accounts, FileField field, FileGroup group) {
        json.begin("group").text("field", field.label()).text("value", group.value());
        if (isAccount(field)) {
            json.text("name", name(accounts, field, group));
        }
        json.number("count", group.count()).number("size", group.size()).number("blocks", group.blocks()).end();
    }

    private static boolean isAccount(FileField field) {
        return field == FileField.OWNER || field == FileField.GROUP;
    }

    private static String name(Accounts accounts, FileField field, FileGroup group) {
        long number = Long.parseLong(group.value());
        return field == FileField.OWNER ? accounts.userName(number) : accounts.groupName(number);
    }
}
