// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.TableCopy;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;

/** Copies tuples of one class into its table, in the text format of COPY. For one thread at a time. */
public final class CopyText implements TupleInput {
    /** Characters that are sent at once. */
    private static final int PORTION = 1 << 16;

    private final Table table;
    private final TableCopy copy;
    private final StringBuilder text = new StringBuilder();

    private CopyText(Table table, TableCopy copy) {
        this.table = table;
        this.copy = copy;
    }

    /** Begins to copy; no other statement may use the connection until {@link #finish} or {@link #close}. */
    public static CopyText into(Table table, Statements connection) throws SQLException {
        return new CopyText(table, connection.copyInto(table.name(), table.written()));
    }

    @Override
    public void add(long id, long expiresAt, long transaction, Record tuple) throws SQLException {
        text.append(id).append('\t');
        append(transaction == Store.NONE ? null : (Object) transaction);
        text.append('\t');
        append(expiresAt == Store.NEVER ? null : (Object) expiresAt);
        for (Object value : table.type().canonical(tuple)) {
            text.append('\t');
            append(value);
        }
        text.append('\n');
        if (text.length() >= PORTION) {
            send();
        }
    }

    private void append(@Nullable Object value) {
        switch (value) {
            case null -> text.append("\\N");
            case Bytes bytes -> text.append("\\\\x").append(HexFormat.of().formatHex(bytes.toArray()));
            case String plain -> escape(Values.stored(plain));
            default -> text.append(value);
        }
    }

    private void escape(String plain) {
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                default -> text.append(c);
            }
        }
    }

    private void send() throws SQLException {
        copy.send(text);
        text.setLength(0);
    }

    @Override
    public void finish() throws SQLException {
        send();
        copy.finish();
    }

    /** Cancels the copy unless it has ended. */
    @Override
    public void close() throws SQLException {
        copy.close();
    }
}
