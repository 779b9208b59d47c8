// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

/** The names in the file: record classes name the tables, components name the columns. */
public final class Names {
    /** "THTS": distinguishes the files of spaces from others. */
    static final int APPLICATION = 0x54485453;
    static final int VERSION = 2;
    /** The version of a file in which tuples share values; all else is as in version 2. */
    static final int WITH_SHARED = 3;
    /** The version whose tuples have no checksums. */
    static final int WITHOUT_SUMS = 1;

    public static final String ID = quote("$id");
    public static final String EXPIRES = quote("$expires");
    public static final String WRITER = quote("$writer");
    public static final String TAKER = quote("$taker");

    static final String CHECK = quote("$check");

    /** The columns of a table of shared values. */
    static final String NUMBER = quote("$number");
    static final String VALUE = quote("$value");

    public static final String TYPES = quote("$types");
    public static final String COUNTER = quote("$counter");
    public static final String TRANSACTIONS = quote("$transactions");
    public static final String READS = quote("$reads");
    public static final String WATCHERS = quote("$watchers");
    public static final String CHANGES = quote("$changes");
    /** Table that exists if some tuples, written by version 1, have no checksum. */
    static final String UPGRADED = "$upgraded";

    private Names() {}

    public static String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }
}
