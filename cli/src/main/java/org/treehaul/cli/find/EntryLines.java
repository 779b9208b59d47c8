// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundValues;

/** Lists entries that no walk of directories has found, as paths or NDJSON. For one thread. */
public final class EntryLines {

    private final EntrySink sink;

    private EntryLines(EntrySink sink) {
        this.sink = sink;
    }

    /** Returns the lines of a session. */
    public static EntryLines of(Session session, boolean endsWithNul) {
        return new EntryLines(EntrySink.of(session, endsWithNul));
    }

    /**
     * Writes an entry.
     *
     * @param path its path as it is printed
     */
    public void write(FoundValues.Subject entry, ByteString path) throws SystemCallException {
        sink.write(entry, path);
    }

    /** Passes on everything written so far. */
    public void flush() {
        sink.flush();
    }
}
