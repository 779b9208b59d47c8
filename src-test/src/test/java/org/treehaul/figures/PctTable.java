// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.treehaul.bench.ThesisCopies.Ranks;
import org.treehaul.bench.ThesisSet;

/** Tables 3.6 to 3.10 of Nuss: seconds of pct, by the number of nodes and of processes on each. */
enum PctTable {
    T3_6("3.6", "pct on GeneSIS Copying “Partial Large Files” Set", ThesisSet.PARTIAL, 7037, """
            1 7150 3839 3447 2335 1735
            2 4321 2890 2018 1521 1912
            3 3981 2424 1609 1304 1630
            4 3737 2714 1522  956 1302""", 1, 2, 4, 6, 8),
    T3_7("3.7", "pct on GeneSIS Copying “Many Small Files” Set", ThesisSet.MANY, 8628, """
            1 7647 5306 3304 2725 2423
            2 6341 3366 2072 1964 1819
            3 4163 2813 1776 1542 1640
            4 3303 2202 2014 1445 1418""", 1, 2, 4, 6, 8),
    T3_8("3.8", "pct on Fission Copying “Many Small Files” Set", ThesisSet.MANY, 5747, """
             1 8519 4520 2082 1464 1325 1014  971  921
             6 2341 1289  851 1098  799 1112  708  814
            32 3530 1888  980  659 1079 1323 1002  811""", 1, 2, 4, 6, 8, 12, 16, 20),
    T3_9("3.9", "pct on Fission Copying “Few Large Files” Set", ThesisSet.FEW, 7701, """
             1 7919 4683 2611 1852 2106 1430 1412 1291
             8 7017 4076 2175 1496 1731 1698 1971 1912
            32 5036 2805 1684 2034 2107 1948 1989 1945""", 1, 2, 4, 6, 8, 12, 16, 20),
    T3_10("3.10", "pct on Icestorm Copying “Many Small Files” Set", ThesisSet.MANY, 5702, """
            1 9728 4334 2224 1551 1233 1007  807  855
            4 3112 1629 1377  701  640  673  628  638
            8 2408 1343  899  630  653  596  659  653""", 1, 2, 4, 6, 8, 12, 16, 20);

    private final String number;
    private final String title;
    private final ThesisSet set;
    private final int cp;
    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Map<Ranks, Integer> seconds = new LinkedHashMap<>();

    /**
     * Reads a table.
     *
     * @param cp the seconds of {@code cp}
     * @param rows for each number of processes on a node: that number, and the seconds for each number of nodes
     * @param nodes the numbers of nodes
     */
    PctTable(String number, String title, ThesisSet set, int cp, String rows, int... nodes) {
        this.number = number;
        this.title = title;
        this.set = set;
        this.cp = cp;
        for (String row : rows.split("\n", -1)) {
            String[] words = row.strip().split(" +", -1);
            for (int i = 0; i < nodes.length; i++) {
                seconds.put(new Ranks(nodes[i], Integer.parseInt(words[0])), Integer.parseInt(words[i + 1]));
            }
        }
    }

    String number() {
        return number;
    }

    /** Returns the caption without its beginning, which differs between table and figure. */
    String title() {
        return title;
    }

    ThesisSet set() {
        return set;
    }

    /** Returns the seconds of {@code cp}. */
    int cp() {
        return cp;
    }

    /** Returns the seconds of each configuration. */
    Map<Ranks, Integer> seconds() {
        return seconds;
    }

    /** Returns the configurations of all tables of a set, and of the curves of a single node in figure 3.5. */
    static List<Ranks> configurations(ThesisSet set, int processes) {
        List<Ranks> all = new ArrayList<>();
        Arrays.stream(values()).filter(table -> table.set == set).forEach(table -> all.addAll(table.seconds.keySet()));
        if (set != ThesisSet.PARTIAL) {
            IntStream.of(1, 2, 4, 8).forEach(cores -> all.add(new Ranks(1, cores)));
        }
        return all.stream()
                .filter(one -> one.processes() <= processes)
                .distinct()
                .sorted(Comparator.comparingInt(Ranks::nodes).thenComparingInt(Ranks::cores))
                .toList();
    }
}
