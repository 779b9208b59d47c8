// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The answer that a query wants: the entries, the largest of them, their number, a sum, or groups. */
final class QueryAnswer {

    private static final Set<FileField> TIMES = EnumSet.of(FileField.ATIME, FileField.MTIME, FileField.CTIME,
            FileField.BTIME);
    private static final long NANOS = 1_000_000_000;

    private final QueryOptions which;
    private final CommonOptions common;
    private final WorkAnswer work;
    private boolean count;
    private @Nullable String sum;
    private @Nullable String groupBy;
    private @Nullable Integer top;
    private @Nullable String by;

    /** Adds the options to a command. */
    QueryAnswer(CommandSpec command, QueryOptions which, CommonOptions common) {
        this.which = which;
        this.common = common;
        Options.add(command, Options.flag(value -> count = value, "--count"), "Print the number of entries.");
        Options.add(command, Options.value(String.class, value -> sum = value, "--sum"), "FIELD",
                "Print the sum of size, blocks or links.");
        Options.add(command, Options.value(String.class, value -> groupBy = value, "--group-by"), "FIELD",
                "Print the number of entries and of bytes for each value of FIELD, on a terminal below a heading.");
        Options.add(command, Options.value(Integer.class, value -> top = value, "--top"), "N",
                "Print the N entries with the largest values of the field --by, largest first; with --group-by the N "
                        + "largest groups.");
        Options.add(command, Options.value(String.class, value -> by = value, "--by"), "FIELD",
                "With --top: size, blocks, links, a time or generation; for groups size, blocks or count. Default: size.");
        work = new WorkAnswer(command, which, common);
    }

    /** Checks conditions that the option types cannot express. */
    void check() {
        long answers = Stream.of(count, sum != null, groupBy != null || top != null).filter(given -> given).count();
        if (answers > 1) {
            throw common.usage("only one of --count, --sum and --group-by or --top is possible");
        }
        if (work.isWanted()) {
            work.check(sum != null || top != null || by != null, groupBy);
            return;
        }
        if (by != null && top == null) {
            throw common.usage("--by needs --top N");
        }
        if (top != null) {
            common.checkBetween("--top", 1, Long.MAX_VALUE, top);
        }
        if (which.isNul() && (common.json || count || sum != null || groupBy != null)) {
            throw common.usage("-0 is for lists of paths only");
        }
        if (sum != null && !which.field("--sum", sum).isAmount()) {
            throw common.usage("--sum must be size, blocks or links, not '" + sum + "'");
        }
        if (groupBy != null && which.field("--group-by", groupBy).isAlias()) {
            throw common.usage(groupBy + " is another way to write a condition on mtime; group by mtime");
        }
        if (groupBy != null && which.field("--group-by", groupBy) == FileField.PATH) {
            throw common.usage("no two entries have the same path; group by directory or name");
        }
        if (groupBy != null && order().isEmpty()) {
            throw common.usage("with --group-by, --by must be size, blocks or count, not '" + by + "'");
        }
        if (groupBy == null && top != null && !topField().isOrdered()) {
            throw common.usage("--by must be size, blocks, links, a time or generation, not '" + by + "'");
        }
    }

    private FileField topField() {
        return by == null ? FileField.SIZE : which.field("--by", by);
    }

    private Optional<FileGroups.Order> order() {
        String name = by == null ? "size" : by;
        return Arrays.stream(FileGroups.Order.values())
                .filter(order -> order.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }

    /** Returns whether the query is about transfers, not files. */
    boolean isAboutWork() {
        return work.isWanted();
    }

    /** Prints the answer about transfers. */
    void printWork(Session session, SpaceUri space) {
        work.print(session, space, count, groupBy);
    }

    /** Prints the answer. */
    void print(Session session, FileIndex index, FileQuery query) {
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
            new GroupReport(session, which.field("--group-by", groupBy)).print(index, query,
                    top == null ? Integer.MAX_VALUE : top, order().orElseThrow());
        } else if (top != null) {
            QueryOptions.Printer printer = which.printer(session);
            try (Stream<FileTuple> found = index.top(query, topField(), top)) {
                found.takeWhile(tuple -> session.isWanted())
                        .forEach(tuple -> printer.print("entry", shown(topField(), tuple) + "\t", tuple));
            }
            printer.flush();
        } else {
            list(session, index, query);
        }
    }

    private static String shown(FileField field, FileTuple tuple) {
        Long number = tuple.number(field);
        if (number != null && TIMES.contains(field)) {
            return Text.dateTime(Instant.ofEpochSecond(Math.floorDiv(number, NANOS), Math.floorMod(number, NANOS)));
        }
        return number == null ? "" : field.print(number);
    }

    private void list(Session session, FileIndex index, FileQuery query) {
        QueryOptions.Printer printer = which.printer(session);
        try (Stream<FileTuple> found = index.entries(query)) {
            found.takeWhile(tuple -> session.isWanted()).forEach(tuple -> printer.print("entry", "", tuple));
        }
        printer.flush();
    }
}
