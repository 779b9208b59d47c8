// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.util.Locale;

import org.treehaul.core.walk.summary.Usage;

/**
 * The number of a {@link Usage} that is printed, compared and sorted by, and its form.
 *
 * @param measure the number
 * @param size the form of sizes
 */
record UsageFormat(Measure measure, BlockSize size) {

    /** A number of a usage. */
    enum Measure {
        ALLOCATED,
        APPARENT,
        ENTRIES;

        long of(Usage usage) {
            return switch (this) {
                case ALLOCATED -> usage.allocatedBytes();
                case APPARENT -> usage.apparentBytes();
                case ENTRIES -> usage.entries();
            };
        }

        /** Returns the name for headings. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the number. */
    long value(Usage usage) {
        return measure.of(usage);
    }

    /** Returns the number as text. */
    String text(Usage usage) {
        return text(measure, usage);
    }

    /** Returns another number in this form; entries have no unit unless it is for people. */
    String text(Measure other, Usage usage) {
        return other == Measure.ENTRIES && !size.isHuman()
                ? Long.toString(usage.entries())
                : size.format(other.of(usage));
    }
}
