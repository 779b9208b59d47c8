// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.EntryJson;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;

/**
 * Writes entries with the places of their data: the servers, a tab and the path, or lines of NDJSON. An entry whose
 * layout cannot be read is written without it before the failure is thrown.
 */
final class LocatedSink extends EntrySink {

    private static final int FULL = 32 * 1024;
    private static final String NO_SERVERS = "-";

    private final Output output;
    private final Locality locality;
    private final byte end;
    private final boolean escapes;
    // Null for text.
    private final @Nullable JsonLines json;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();

    private LocatedSink(Output output, Locality locality, byte end, boolean escapes, boolean isJson) {
        this.output = output;
        this.locality = locality;
        this.end = end;
        this.escapes = escapes;
        this.json = isJson ? new JsonLines(output) : null;
    }

    /** Returns the sink for the output of a session. */
    static LocatedSink of(Session session, boolean endsWithNul, Locality locality) {
        return new LocatedSink(session.output(), locality, (byte) (endsWithNul ? 0 : '\n'),
                session.escapes() && !endsWithNul, session.json().isPresent());
    }

    @Override
    void write(byte[] prefix, FoundEntry<byte[]> found) throws SystemCallException {
        Optional<DataLayout> layout = Optional.empty();
        SystemCallException failure = null;
        try {
            layout = found.layout(locality);
        } catch (SystemCallException e) {
            failure = e;
        }
        ByteString path = ByteString.of(path(prefix, found));
        if (json == null) {
            line(layout, path);
        } else {
            EntryJson.write(json, path, found.toEntry(true), layout);
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    void write(FoundValues.Subject entry, ByteString path) {
        throw new UnsupportedOperationException("the layout of an entry that no walk has found");
    }

    private void line(Optional<DataLayout> layout, ByteString path) {
        String servers = layout.map(known -> String.join(",", known.servers())).orElse("");
        lines.writeBytes((servers.isEmpty() ? NO_SERVERS : servers).getBytes(StandardCharsets.US_ASCII));
        lines.write('\t');
        lines.writeBytes(escapes ? path.toString().getBytes(StandardCharsets.UTF_8) : path.toBytes());
        lines.write(end);
        if (lines.size() >= FULL) {
            flush();
        }
    }

    @Override
    void flush() {
        output.write(lines.toByteArray(), lines.size());
        lines.reset();
        if (json != null) {
            json.flush();
        }
    }
}
