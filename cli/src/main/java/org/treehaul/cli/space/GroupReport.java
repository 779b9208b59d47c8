// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.Accounts;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;

/** Prints the number of entries and of bytes for each value of a field, with names for numbers of users and groups. */
final class GroupReport {

    private final Session session;
    private final FileField field;
    private final Accounts accounts = Accounts.system();

    GroupReport(Session session, FileField field) {
        this.session = session;
        this.field = field;
    }

    /**
     * Prints the largest groups of the entries that a query selects.
     *
     * @param most how many groups to print
     */
    void print(FileIndex index, FileQuery query, int most, FileGroups.Order order) {
        try (FileGroups groups = index.groupBy(query, field, order)) {
            if (session.json().isPresent()) {
                print(groups, most, group -> json(session.json().get(), group));
                return;
            }
            int[] widths = new int[3];
            try (Stream<FileGroup> all = groups.stream()) {
                all.limit(most).map(GroupReport::row).forEach(row -> {
                    for (int i = 0; i < widths.length; i++) {
                        widths[i] = Math.max(widths[i], row.get(i).length());
                    }
                });
            }
            if (session.escapes()) {
                // For people; programs expect only groups.
                widths[0] = Math.max(widths[0], "entries".length());
                widths[1] = Math.max(widths[1], "bytes".length());
                session.output()
                        .line(Text.right("entries", widths[0]) + "  " + Text.right("bytes", widths[1]) + "  "
                                + " ".repeat(widths[2]) + "  " + field.label());
            }
            print(groups, most, group -> {
                List<String> row = row(group);
                session.output()
                        .line(Text.right(row.get(0), widths[0]) + "  " + Text.right(row.get(1), widths[1]) + "  "
                                + Text.right(row.get(2), widths[2]) + "  " + label(group));
            });
        }
    }

    private void print(FileGroups groups, int most, Consumer<FileGroup> printer) {
        try (Stream<FileGroup> all = groups.stream()) {
            all.limit(most).takeWhile(group -> session.isWanted()).forEach(printer);
        }
    }

    private static List<String> row(FileGroup group) {
        return List.of(Text.count(group.count()), Text.count(group.size()), Text.bytes(group.size()));
    }

    private void json(JsonLines json, FileGroup group) {
        json.begin("group").text("field", field.label()).text("value", group.value());
        if (isAccount()) {
            json.text("name", name(group));
        }
        json.number("count", group.count()).number("size", group.size()).number("blocks", group.blocks()).end();
    }

    private String label(FileGroup group) {
        return isAccount() ? name(group) : group.value().isEmpty() ? "(no " + field.label() + ")" : group.value();
    }

    private boolean isAccount() {
        return field == FileField.OWNER || field == FileField.GROUP;
    }

    private String name(FileGroup group) {
        long number = Long.parseLong(group.value());
        return field == FileField.OWNER ? accounts.userName(number) : accounts.groupName(number);
    }
}
