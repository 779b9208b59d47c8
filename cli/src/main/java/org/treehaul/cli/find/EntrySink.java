// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.EntryJson;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;

/** Writes the entries that one thread finds. */
abstract sealed class EntrySink permits EntrySink.Paths, EntrySink.Json, FormatSink, LocatedSink {

    /**
     * Writes an entry.
     *
     * @param prefix the path of its directory with a slash; empty for a root
     */
    abstract void write(byte[] prefix, FoundEntry<byte[]> found) throws SystemCallException;

    /**
     * Writes an entry that no walk found.
     *
     * @param path its path as it is printed
     */
    abstract void write(FoundValues.Subject entry, ByteString path) throws SystemCallException;

    /** Passes on everything written so far. */
    abstract void flush();

    /** Returns the sink for the paths or the JSON lines of a session. */
    static EntrySink of(Session session, boolean endsWithNul) {
        return session.json().isPresent()
                ? new Json(session.output())
                : new Paths(session.output(), endsWithNul, session.escapes() && !endsWithNul);
    }

    static byte[] path(byte[] prefix, FoundEntry<byte[]> found) {
        byte[] path = Arrays.copyOf(prefix, prefix.length + found.nameLength());
        found.copyName(path, prefix.length);
        return path;
    }

    /** Paths, each with a line end or a NUL; many are written at once. */
    static final class Paths extends EntrySink {

        private static final int FULL = 32 * 1024;

        private final Output output;
        private final byte end;
        private final boolean escapes;
        private byte[] lines = new byte[FULL + 8192];
        private int used;

        Paths(Output output, boolean endsWithNul, boolean escapes) {
            this.output = output;
            this.end = (byte) (endsWithNul ? 0 : '\n');
            this.escapes = escapes;
        }

        @Override
        void write(byte[] prefix, FoundEntry<byte[]> found) {
            if (escapes) {
                output.line(ByteString.escape(path(prefix, found)));
                return;
            }
            int length = prefix.length + found.nameLength();
            reserve(length + 1);
            System.arraycopy(prefix, 0, lines, used, prefix.length);
            found.copyName(lines, used + prefix.length);
            end(length);
        }

        @Override
        void write(FoundValues.Subject entry, ByteString path) {
            byte[] bytes = escapes ? path.toString().getBytes(StandardCharsets.UTF_8) : path.toBytes();
            reserve(bytes.length + 1);
            System.arraycopy(bytes, 0, lines, used, bytes.length);
            end(bytes.length);
        }

        private void reserve(int length) {
            if (length > lines.length - used) {
                flush();
                if (length > lines.length) {
                    lines = new byte[length * 2];
                }
            }
        }

        private void end(int length) {
            used += length + 1;
            lines[used - 1] = end;
            if (used >= FULL) {
                flush();
            }
        }

        @Override
        void flush() {
            output.write(lines, used);
            used = 0;
        }
    }

    /** Lines of NDJSON. */
    static final class Json extends EntrySink {

        private final JsonLines json;

        Json(Output output) {
            json = new JsonLines(output);
        }

        @Override
        void write(byte[] prefix, FoundEntry<byte[]> found) throws SystemCallException {
            EntryJson.write(json, ByteString.of(path(prefix, found)), found.toEntry(true));
        }

        @Override
        void write(FoundValues.Subject entry, ByteString path) throws SystemCallException {
            EntryJson.write(json, path,
                    entry.kind() == EntryKind.SYMLINK
                            ? Entry.symlink(entry.path(), entry.status(), entry.linkTarget())
                            : Entry.of(entry.path(), entry.status()));
        }

        @Override
        void flush() {
            json.flush();
        }
    }
}
