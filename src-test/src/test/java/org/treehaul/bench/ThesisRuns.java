// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The measurements of Nuss with Bpct, which writes a script for each job: tables 3.11 to 3.15 of the thesis, in
 * seconds. The first and the last end of a job are counted from the start of Bpct.
 */
public enum ThesisRuns {
    /** {@code cp} took 7499 seconds. */
    T3_11("3.11", "GeneSIS, Lustre", ThesisSet.MANY, 7499, row(1, 37, 9, Double.NaN, 8556, 0.88),
            row(2, 32, 9, 5247, 5672, 1.32), row(3, 31, 8, 4301, 4587, 1.63), row(4, 32, 7, 3636, 3799, 1.97),
            row(5, 32, 13, 3237, 3348, 2.24), row(6, 32, 9, 2987, 3163, 2.37), row(7, 32, 10, 2918, 3117, 2.41),
            row(8, 41, 11, 2701, 2771, 2.71)),
    /** {@code cp} took 6499 seconds. */
    T3_12("3.12", "GeneSIS, Lustre", ThesisSet.PARTIAL, 6499, row(1, Double.NaN, 6425, 1.01), row(2, 3030, 3441, 1.89),
            row(3, 2363, 2726, 2.38), row(4, 1864, 2329, 2.79), row(5, 1632, 2155, 3.02), row(6, 1119, 2140, 3.04),
            row(7, 1239, 1532, 4.24), row(8, 897, 1186, 5.48)),
    /** {@code cp} took 4951 seconds. */
    T3_13("3.13", "Icestorm, PanFS", ThesisSet.MANY, 4951, row(1, 443, 10, Double.NaN, 8981, 0.55),
            row(2, 455, 12, 5882, 6377, 0.78), row(4, 658, 13, 4253, 4301, 1.15), row(6, 493, 15, 3407, 3613, 1.37),
            row(8, 671, 15, 2563, 2681, 1.85), row(12, 670, 18, 2029, 2098, 2.36), row(16, 637, 21, 1780, 1955, 2.53),
            row(20, 457, 19, 1306, 1488, 3.33), row(24, 674, 24, 1493, 1641, 3.02), row(28, 680, 22, 1244, 1350, 3.67)),
    /** {@code cp} took 9776 seconds. */
    T3_14("3.14", "Icestorm, PanFS", ThesisSet.FEW, 9776, row(1, 5, 0, 9676, 9676, 1.01),
            row(2, 3, 1, 5233, 5241, 1.87), row(4, 5, 0, 2813, 2882, 3.39), row(6, 6, 0, 2054, 2110, 4.63),
            row(8, 4, 0, 1786, 1851, 5.28), row(12, 14, 2, 1436, 1512, 6.47), row(16, 7, 2, 1511, 1607, 6.08),
            row(20, 5, 1, 1232, 1335, 7.32), row(24, 5, 1, 1270, 1340, 7.30), row(28, 6, 1, 1299, 1351, 7.24)),
    /** Times that include the wait in the queue, which was long there. The thesis does not give the time of cp. */
    T3_15("3.15", "Fission, PanFS", ThesisSet.MANY, Double.NaN,
            row(1, 161, Double.NaN, 6755, 0.66, Double.NaN, 7339, 0.60),
            row(4, 239, 2326, 2525, 1.75, 2498, 3139, 1.41), row(8, 291, 1537, 1845, 2.40, 1641, 2442, 1.81),
            row(12, 223, 995, 1178, 3.76, 1077, 1756, 2.52), row(16, 239, 905, 1068, 4.15, 1100, 1664, 2.66),
            row(20, 273, 808, 1116, 3.97, 871, 1702, 2.60), row(24, 336, 768, 1050, 4.22, 823, 1672, 2.65),
            row(28, 357, 770, 929, 4.77, 880, 1555, 2.85), row(32, 369, 757, 896, 4.94, 853, 1517, 2.92),
            row(36, 230, 538, 850, 5.21, 587, 1448, 3.06));

    private final String table;
    private final String where;
    private final ThesisSet set;
    private final double cp;
    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Row> rows;

    /**
     * A row, with NaN for what its table does not print.
     *
     * @param jobs the number of jobs, each on a node
     * @param traversal the time to traverse the directories; in table 3.15 with the submission of the jobs
     * @param submission the time to submit the jobs
     * @param bestScript the time to run the script that ended first, with traversal and submission, without the queue
     * @param worstScript the same for the script that ended last
     * @param scriptSpeedUp the speed-up of that
     * @param first the first end of a job
     * @param last the last end of a job
     * @param speedUp the time of {@code cp} divided by the last end
     */
    public record Row(int jobs, double traversal, double submission, double bestScript, double worstScript,
            double scriptSpeedUp, double first, double last, double speedUp) {}

    ThesisRuns(String table, String where, ThesisSet set, double cp, Row... rows) {
        this.table = table;
        this.where = where;
        this.set = set;
        this.cp = cp;
        this.rows = List.of(rows);
    }

    private static Row row(int jobs, double first, double last, double speedUp) {
        return row(jobs, Double.NaN, Double.NaN, first, last, speedUp);
    }

    private static Row row(int jobs, double traversal, double submission, double first, double last, double speedUp) {
        return new Row(jobs, traversal, submission, Double.NaN, Double.NaN, Double.NaN, first, last, speedUp);
    }

    private static Row row(int jobs, double traversal, double bestScript, double worstScript, double scriptSpeedUp,
            double first, double last, double speedUp) {
        return new Row(jobs, traversal, Double.NaN, bestScript, worstScript, scriptSpeedUp, first, last, speedUp);
    }

    /** Returns the thesis's tables of a set. */
    public static List<ThesisRuns> of(ThesisSet set) {
        return Arrays.stream(values()).filter(runs -> runs.set == set).toList();
    }

    String title() {
        return table + " (" + where + ")";
    }

    /** Returns the number of the table. */
    public String table() {
        return table;
    }

    /** Returns the cluster and its file system. */
    public String where() {
        return where;
    }

    /** Returns the set that was copied. */
    public ThesisSet set() {
        return set;
    }

    /** Returns the seconds of {@code cp}, NaN if the thesis does not give them. */
    public double cp() {
        return cp;
    }

    /** Returns the rows, the fewest jobs first. */
    public List<Row> rows() {
        return rows;
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
