// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A figure or a table of a paper.
 *
 * @param name the name by which users select it, and which its files have
 * @param caption the paper and the number and caption, as printed in the paper
 * @param columns the names of the columns of its table; those of our numbers begin with {@code here}, those of the
 *        paper's with {@code paper}
 * @param kind the origin of our numbers
 * @param maker draws it
 */
record Figure(String name, String caption, List<String> columns, Kind kind, Maker maker) {

    /** The origin of our numbers. */
    enum Kind {
        /** Computed: the same scale gives the same figure on every machine. */
        COMPUTED,
        /** Measured on this machine. */
        MEASURED
    }

    /** Draws a figure. */
    interface Maker {
        /** Draws it from results, which several figures share. */
        Drawing draw(Results results) throws IOException, InterruptedException;
    }

    Figure {
        columns = List.copyOf(columns);
    }

    static Figure of(String name, String caption, String columns, Kind kind, Maker maker) {
        return new Figure(name, caption, Arrays.asList(columns.split(",", -1)), kind, maker);
    }

    Drawing draw(Results results) throws IOException, InterruptedException {
        return maker.draw(results);
    }
}
