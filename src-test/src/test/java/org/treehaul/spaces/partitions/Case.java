// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.util.Locale;

/**
 * A case to measure.
 *
 * @param partitions number of partitions; 0 for a space in one store that has none
 * @param isOneDirectory whether all clients work in one directory, else each in its own
 */
record Case(Stores stores, int partitions, int clients, boolean isOneDirectory) {

    /** Kinds of stores. */
    enum Stores {
        SQLITE("SQLite"),
        POSTGRESQL("PostgreSQL"),
        CAPPED("PostgreSQL, capped");

        final String title;

        Stores(String title) {
            this.title = title;
        }

        /** Returns the name in options. */
        String option() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean hasServers() {
            return this != SQLITE;
        }
    }

    /**
     * Creations and removals in a second, and what one of them costs.
     *
     * @param clientMicros microseconds of processors that a client uses for a creation or removal
     * @param serverMicros microseconds of processors that the servers use for it; not above 0 where it is unknown
     */
    record Rates(double created, double removed, double clientMicros, double serverMicros) {}
}
