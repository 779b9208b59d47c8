// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The names in the schema of a space: record classes name the tables, components name the columns.
 *
 * @param schema the schema
 */
public record Names(String schema) {
    public static final String ID = quote("$id");
    public static final String EXPIRES = quote("$expires");
    /** The transaction that wrote the tuple and has not ended. */
    public static final String WRITER = quote("$writer");
    /** The transaction that took the tuple and has not ended. */
    public static final String TAKER = quote("$taker");
    /** The transactions that read the tuple and have not ended. */
    public static final String READERS = quote("$readers");

    /** The user who wrote the tuple, in a shared space. */
    public static final String OWNER = quote("$owner");

    /** The table of the version and the number of the last change, without quotes. */
    static final String SPACE = "$space";
    /** The server cuts longer names off, in bytes of UTF-8. */
    private static final int LONGEST = 63;
    private static final int HEAD = 50;
    /** Columns that each table of the server has; see its manual, "System Columns". */
    private static final Set<String> TAKEN = Set.of("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid");

    public static String quote(String name) {
        return "\"" + (name.indexOf('"') < 0 ? name : name.replace("\"", "\"\"")) + "\"";
    }

    /** Returns a text of any characters as a constant of SQL. */
    static String literal(String text) {
        String doubled = text.replace("'", "''");
        return text.indexOf('\\') < 0 ? "'" + doubled + "'" : "E'" + doubled.replace("\\", "\\\\") + "'";
    }

    /** Returns the quoted column of a component. */
    public static String column(String component) {
        return quote(plainColumn(component));
    }

    /** Returns the column of a component. */
    static String plainColumn(String component) {
        return TAKEN.contains(component) ? "$" + component : shortened(component);
    }

    /** Returns a name of bounded length; a long one ends in a hash of the whole. */
    public static String shortened(String name) {
        // A character takes at most three bytes, or two of them take four.
        if (name.length() <= LONGEST / 3) {
            return name;
        }
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST) {
            return name;
        }
        CRC32C hash = new CRC32C();
        hash.update(bytes);
        // Characters of four bytes could fill the head beyond the limit.
        int head = HEAD;
        while (name.substring(0, Math.min(head, name.length())).getBytes(StandardCharsets.UTF_8).length > HEAD
                || Character.isHighSurrogate(name.charAt(head - 1))) {
            head--;
        }
        return name.substring(0, head) + String.format("~%08x", hash.getValue());
    }

    /** Returns the quoted table of a record class. */
    public String table(String type) {
        return in(shortened(type));
    }

    /** Returns a name in the schema, quoted. */
    String in(String name) {
        return quote(schema) + "." + quote(name);
    }

    /** Returns the table of the version and the number of the last change. */
    public String space() {
        return in(SPACE);
    }

    /** Returns the table of the record classes and their components. */
    public String types() {
        return in("$types");
    }

    /** Returns the sequence that numbers tuples and transactions. */
    public String ids() {
        return in("$ids");
    }

    /** Returns the sequence that numbers clients. */
    public String clientIds() {
        return in("$client_ids");
    }

    /** Returns the table of the transactions that have not ended. */
    public String transactions() {
        return in("$transactions");
    }

    /** Returns the table of the processes that have transactions or watch. */
    public String clients() {
        return in("$clients");
    }

    /** Returns the table of the processes that watch. */
    public String watchers() {
        return in("$watchers");
    }

    /** Returns the table of the changes for processes that watch. */
    public String changes() {
        return in("$changes");
    }

    /** Returns the table that only a shared space has: the names of its roles, and whether users are apart. */
    public String access() {
        return in("$access");
    }

    /** Returns the table of the users' numbers on the nodes, of a shared space. */
    public String users() {
        return in("$users");
    }

    /** Returns the function of a shared space that numbers changes. */
    public String changed() {
        return in("$changed");
    }

    /** Returns the function of a shared space that makes the table of a record class. */
    public String define() {
        return in("$define");
    }

    /** Returns the function of a shared space that removes what processes without a connection have left. */
    public String removeLost() {
        return in("$remove_lost");
    }

    /** Returns the function of a shared space that indexes a table. */
    public String index() {
        return in("$index");
    }

    /** Returns the channel of the notifications for processes that watch. */
    public String channel() {
        return shortened("treehaul " + schema);
    }
}
