// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.ByteArrayOutputStream;
import java.util.Locale;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;

/** Formats failures for other commands. */
public final class FailureLines {

    private FailureLines() {}

    /** Returns the path below the root in the form for {@code --files-from}: the root itself is {@code .}. */
    public static ByteString below(EntryFailure failure) {
        byte[] path = failure.path().toBytes();
        return path.length == 0 ? ByteString.of(".") : ByteString.of(path);
    }

    /** Returns a failure as a line of NDJSON. */
    public static byte[] json(EntryFailure failure, ByteString source) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        Output output = Output.to(line);
        JsonLines json = new JsonLines(output);
        json.begin("failure")
                .text("kind", failure.kind().name().toLowerCase(Locale.ROOT))
                .path("source", source)
                .path("path", failure.fullPath())
                .text("operation", failure.operation())
                .number("errno", failure.errno())
                .text("message", failure.toString())
                .end();
        json.flush();
        output.flush();
        return line.toByteArray();
    }
}
