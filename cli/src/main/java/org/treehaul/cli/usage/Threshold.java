// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import org.treehaul.cli.args.ByteSize;

/**
 * A bound of the values to print.
 *
 * @param bound bytes, or a number of entries, 0 or more
 * @param isUpper whether values up to it are printed, else those from it on
 */
record Threshold(long bound, boolean isUpper) {

    /**
     * Parses a bound as {@code --threshold} of GNU du takes it: a size, after a minus sign an upper one.
     *
     * @throws IllegalArgumentException if the text is not a size, or is -0
     */
    static Threshold parse(String text) {
        boolean isUpper = text.startsWith("-");
        long bound = ByteSize.parse(isUpper ? text.substring(1) : text).bytes();
        if (isUpper && bound == 0) {
            throw new IllegalArgumentException("no value is below -0; write a size such as 1G or -1M");
        }
        return new Threshold(bound, isUpper);
    }

    boolean allows(long value) {
        return isUpper ? value <= bound : value >= bound;
    }
}
