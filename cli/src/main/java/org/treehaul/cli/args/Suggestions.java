// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** Names that a user may have meant by a mistyped one. */
public final class Suggestions {

    /** Commands that destroy something are offered only for a single typing error. */
    private static final Set<String> CAREFUL = Set.of("rm", "mv", "sync", "chmod", "chown", "chgrp", "cancel",
            "forget");

    private static final int MOST = 3;
    private static final int LETTERS_PER_ERROR = 4;

    private Suggestions() {}

    /**
     * Returns at most three of the known names, the nearest first: those with at most one typing error in four letters.
     */
    public static List<String> near(String word, Collection<String> known) {
        TreeMap<Integer, List<String>> byDistance = new TreeMap<>();
        int letters = word.replaceFirst("^--?", "").length();
        int limit = Math.max(1, letters / LETTERS_PER_ERROR);
        for (String name : known) {
            int distance = distance(word, name);
            if (distance <= (CAREFUL.contains(name) ? 1 : limit)) {
                byDistance.computeIfAbsent(distance, d -> new ArrayList<>()).add(name);
            }
        }
        return byDistance.values().stream().flatMap(List::stream).limit(MOST).toList();
    }

    /** Returns the number of letters to insert, delete, replace or exchange with their neighbour. */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
                boolean areExchanged = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
                if (areExchanged) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
