// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.List;

/** A figure of a paper. */
interface Figure {

    /** Returns the name by which users select it, and which its files have. */
    String name();

    /** Returns the paper and the figure's number and caption, as printed in the paper. */
    String caption();

    /** Returns the names of the columns of its table. */
    List<String> columns();

    /**
     * Draws the figure. The same scale gives the same figure.
     *
     * @param scale the size as a fraction of the measurement in the paper: 1 for all of it
     */
    Drawing draw(double scale);
}
