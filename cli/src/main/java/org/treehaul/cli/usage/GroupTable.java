// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.Accounts;
import org.treehaul.core.walk.summary.Usage;

/** Prints the space of groups: ages from young to old, others from large to small. */
final class GroupTable {

    private static final List<UsageFormat.Measure> COLUMNS = List.of(UsageFormat.Measure.ENTRIES,
            UsageFormat.Measure.APPARENT, UsageFormat.Measure.ALLOCATED);

    private final Session session;
    private final UsageFormat format;
    private final GroupField field;
    private final Accounts accounts = Accounts.system();

    GroupTable(Session session, UsageFormat format, GroupField field) {
        this.session = session;
        this.format = format;
        this.field = field;
    }

    /**
     * Prints groups.
     *
     * @param most how many to print, the largest
     * @param withTotal whether the sum of all groups follows them
     */
    void print(Map<GroupField.Key, Usage> groups, int most, boolean withTotal) {
        Comparator<Map.Entry<GroupField.Key, Usage>> byValue = Comparator.<Map.Entry<GroupField.Key, Usage>>comparingLong(
                group -> format.value(group.getValue())).reversed().thenComparing(Map.Entry.comparingByKey());
        List<Map.Entry<GroupField.Key, Usage>> sorted = new ArrayList<>(
                groups.entrySet().stream().sorted(byValue).limit(most).toList());
        if (field.isOrdered()) {
            sorted.sort(Map.Entry.comparingByKey());
        }
        Usage total = withTotal ? groups.values().stream().reduce(Usage.NONE, Usage::plus) : null;
        if (session.json().isEmpty()) {
            table(sorted, total);
            return;
        }
        sorted.forEach(group -> json(session.json().get(), group.getKey(), group.getValue()));
        if (total != null) {
            UsageReport.total(session.json().get(), total);
        }
    }

    private void json(JsonLines json, GroupField.Key key, Usage usage) {
        synchronized (json) {
            json.begin("usage_group").text("field", field.name()).path("value", field.value(key));
            if (field == GroupField.owner || field == GroupField.group) {
                json.path("name", field.label(key, accounts));
            }
            UsageReport.numbers(json, usage).end();
        }
    }

    private List<String> cells(Usage usage) {
        return COLUMNS.stream().map(column -> format.text(column, usage)).toList();
    }

    private void table(List<Map.Entry<GroupField.Key, Usage>> groups, @Nullable Usage total) {
        List<List<String>> rows = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        if (session.escapes()) {
            // For people; programs expect only groups.
            rows.add(COLUMNS.stream().map(UsageFormat.Measure::label).toList());
            labels.add(field.name());
        }
        for (Map.Entry<GroupField.Key, Usage> group : groups) {
            rows.add(cells(group.getValue()));
            labels.add(field.label(group.getKey(), accounts).toString());
        }
        if (total != null) {
            rows.add(cells(total));
            labels.add("total");
        }
        int[] widths = new int[COLUMNS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                line.append(Text.right(rows.get(i).get(column), widths[column])).append("  ");
            }
            session.output().line(line + labels.get(i));
        }
    }
}
