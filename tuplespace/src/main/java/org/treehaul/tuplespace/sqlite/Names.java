// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

/** The names in the file: those of tables are the names of record classes, those of columns the names of components. */
final class Names {
    static final String FILE = "space.db";
    /** "THTS", tells our files from others. */
    static final int APPLICATION = 0x54485453;
    static final int VERSION = 2;
    /** The version whose tuples have no checksums. */
    static final int WITHOUT_SUMS = 1;

    static final String ID = quote("$id");
    static final String EXPIRES = quote("$expires");
    static final String WRITER = quote("$writer");
    static final String TAKER = quote("$taker");

    static final String CHECK = quote("$check");

    static final String TYPES = quote("$types");
    static final String COUNTER = quote("$counter");
    static final String TRANSACTIONS = quote("$transactions");
    static final String READS = quote("$reads");
    static final String WATCHERS = quote("$watchers");
    static final String CHANGES = quote("$changes");
    /** Is there where tuples without a checksum are: they were written by version 1. */
    static final String UPGRADED = "$upgraded";

    private Names() {}

    static String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }
}
