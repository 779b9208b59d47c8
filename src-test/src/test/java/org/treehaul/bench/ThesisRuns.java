// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The measurements of Nuss with Bpct, which writes a script for each job: tables 3.11 to 3.15 of the thesis, in
 * seconds. The first and the last end of a job are counted from the start of Bpct.
 */
enum ThesisRuns {
    T3_11("3.11", "GeneSIS, Lustre", ThesisSet.MANY, new Row(1, Double.NaN, 8556, 0.88), new Row(2, 5247, 5672, 1.32),
            new Row(4, 3636, 3799, 1.97), new Row(8, 2701, 2771, 2.71)),
    T3_12("3.12", "GeneSIS, Lustre", ThesisSet.PARTIAL, new Row(1, Double.NaN, 6425, 1.01),
            new Row(2, 3030, 3441, 1.89), new Row(4, 1864, 2329, 2.79), new Row(8, 897, 1186, 5.48)),
    T3_13("3.13", "Icestorm, PanFS", ThesisSet.MANY, new Row(1, Double.NaN, 8981, 0.55), new Row(2, 5882, 6377, 0.78),
            new Row(4, 4253, 4301, 1.15), new Row(8, 2563, 2681, 1.85)),
    T3_14("3.14", "Icestorm, PanFS", ThesisSet.FEW, new Row(1, 9676, 9676, 1.01), new Row(2, 5233, 5241, 1.87),
            new Row(4, 2813, 2882, 3.39), new Row(8, 1786, 1851, 5.28)),
    /** Times that include the wait in the queue, which was long there. */
    T3_15("3.15", "Fission, PanFS", ThesisSet.MANY, new Row(1, Double.NaN, 7339, 0.60), new Row(4, 2498, 3139, 1.41),
            new Row(8, 1641, 2442, 1.81));

    private final String table;
    private final String where;
    private final ThesisSet set;
    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Row> rows;

    private record Row(int jobs, double first, double last, double speedUp) {}

    ThesisRuns(String table, String where, ThesisSet set, Row... rows) {
        this.table = table;
        this.where = where;
        this.set = set;
        this.rows = List.of(rows);
    }

    /** Returns the thesis's tables of a set. */
    static List<ThesisRuns> of(ThesisSet set) {
        return Arrays.stream(values()).filter(runs -> runs.set == set).toList();
    }

    String title() {
        return table + " (" + where + ")";
    }

    String table() {
        return table;
    }

    /** Returns the last end of a job divided by the first, if the thesis gives both. */
    OptionalDouble lastToFirst(int jobs) {
        return rows.stream()
                .filter(row -> row.jobs == jobs && row.first > 0)
                .mapToDouble(row -> row.last / row.first)
                .findFirst();
    }

    /** Returns the speed-up of the last job over {@code cp}, if the thesis gives it. */
    OptionalDouble speedUp(int jobs) {
        return rows.stream().filter(row -> row.jobs == jobs).mapToDouble(Row::speedUp).findFirst();
    }
}
