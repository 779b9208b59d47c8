// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.TupleCodec;

/** The changes that other processes have kept for this one, read in the order of their numbers, which have no gaps. */
public final class KeptChanges {
    private static final Logger LOG = LoggerFactory.getLogger(KeptChanges.class);
    private static final int PORTION = 1000;

    private final List<Change> changes = new ArrayList<>();
    private final String self;
    private long last;
    private long count;
    private boolean isGap;
    private boolean isPart;

    /**
     * @param self the origin of the changes of this process, which it knows already
     * @param last the number of the last change that was read before
     */
    public KeptChanges(String self, long last) {
        this.self = self;
        this.last = last;
    }

    /**
     * Returns the query for the rows of {@link #add} in a table; its parameters are the number of the last change that
     * was read, and the highest number that was given.
     */
    public static String sql(String table) {
        return "SELECT sequence, origin, kind, type, tuple FROM " + table
                + " WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT " + PORTION;
    }

    /**
     * Notes, before the first change is added, the highest number that was given. If it is lower than that of a change
     * that was read, another server with older data has taken the place of the first one, and its changes have numbers
     * of which some were read already.
     */
    public void given(long highest) {
        if (highest < last) {
            isGap = true;
            last = highest;
        }
    }

    /**
     * Notes, before the first change is added, that the rows are only a part of all changes, as other users see the
     * rest: then a missing number is no gap, but changes up to this number may have been removed.
     */
    public void removedUntil(long removed) {
        isPart = true;
        isGap |= removed > last;
        last = Math.max(last, removed);
    }

    /**
     * Notes, after the last change was added, that all up to this number were read: the rest belongs to others, or is
     * in the next portion.
     */
    public void readUntil(long given) {
        if (isPart && !isMore()) {
            last = Math.max(last, given);
        }
    }

    /** Adds the change of a row. */
    public boolean add(ResultSet row) throws SQLException {
        count++;
        long number = row.getLong(1);
        isGap |= !isPart && number != last + 1;
        last = number;
        if (!row.getString(2).equals(self)) {
            add(row.getString(3), row.getString(4), row.getBytes(5));
        }
        return true;
    }

    private void add(String kind, String type, byte[] tuple) {
        try {
            Record decoded = TupleCodec.decode(RecordClasses.find(type), Bytes.of(tuple));
            changes.add(new Change(EventKind.valueOf(kind), decoded, Store.NONE));
        } catch (RuntimeException e) {
            // The record class is absent or of another version here, or another program wrote the change: no template
            // selects it.
            LOG.debug("a change of {} cannot be read here: {}", type, e.toString());
        }
    }

    /** Returns the changes by other processes. */
    public List<Change> changes() {
        return changes;
    }

    /** Returns the number of the last change that was read. */
    public long last() {
        return last;
    }

    /** Returns whether there may be more changes. */
    public boolean isMore() {
        return count == PORTION;
    }

    /** Returns whether changes were removed before they could be read. */
    public boolean isGap() {
        return isGap;
    }
}
