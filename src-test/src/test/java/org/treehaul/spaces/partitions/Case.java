// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.util.Locale;

/**
 * A case to measure.
 *
 * @param partitions number of partitions; 0 for a space in one store that has none
 */
record Case(Stores stores, int partitions, int clients, Spread spread) {

    /** How the names of files are spread over the stores. */
    enum Spread {
        /** All clients work in one directory, and the hash of the name decides. */
        ONE_DIRECTORY,
        /** Each client works in a directory of its own, and the hash of the directory decides. */
        DIRECTORIES,
        /**
         * As in one directory, but the stores are separate spaces, among which the client chooses by the same hash: so
         * the machine has the same load, without what a space over several stores costs.
         */
        SEPARATE_SPACES
    }

    boolean isOneDirectory() {
        return spread != Spread.DIRECTORIES;
    }

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
