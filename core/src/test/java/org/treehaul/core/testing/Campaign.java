// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

/**
 * The scale and the seed of tests that are tagged {@code campaign}.
 *
 * <p>
 * The system property {@code treehaul.scale}, a positive number, multiplies the number of cases. A campaign chooses the
 * number at scale 1 so that it ends within half an hour on two idle cores. The property {@code treehaul.seed} replaces
 * the seed. Each call prints its result: {@code ./check --all} adds up the cases of each class and prints them in its
 * table. The methods may be called by several threads at once.
 */
public final class Campaign {

    /** A test of one case. */
    @FunctionalInterface
    public interface Case {
        void test(long seed) throws Exception;
    }

    private Campaign() {}

    /** Tests a number of cases one after the other, with consecutive seeds. */
    public static void each(long first, int cases, Case one) throws Exception {
        for (long seed = first; seed < first + cases; seed++) {
            one.test(seed);
        }
    }

    /**
     * Returns the number of cases for a campaign that has the given number of them at scale 1; at least 1.
     *
     * @throws IllegalArgumentException if the scale is not a positive number or makes more cases than an {@code int}
     *         holds
     */
    public static int cases(int atScaleOne) {
        String scale = System.getProperty("treehaul.scale", "1");
        double cases = atScaleOne * Double.parseDouble(scale);
        if (!(cases > 0 && cases <= Integer.MAX_VALUE)) {
            throw new IllegalArgumentException("treehaul.scale=" + scale);
        }
        int count = (int) Math.max(1, Math.round(cases));
        System.out.println("campaign: " + count + " cases");
        return count;
    }

    /** Returns the seed: the one of the system property, otherwise the usual one. */
    public static long seed(long usual) {
        long seed = Long.getLong("treehaul.seed", usual);
        System.out.println("campaign: -Dtreehaul.seed=" + seed);
        return seed;
    }
}
