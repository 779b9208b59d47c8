// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.ByteArrayOutputStream;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;

/** Formats failures for programs and for other commands. */
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
        write(json, failure, source, -1);
        json.flush();
        output.flush();
        return line.toByteArray();
    }

    /**
     * Writes a failure as an object.
     *
     * @param source the operand to which the entry belongs, null to leave it out
     * @param tries the number of attempts, -1 to leave it out
     */
    public static void write(JsonLines json, EntryFailure failure, @Nullable ByteString source, int tries) {
        json.begin("failure").text("kind", failure.kind().name().toLowerCase(Locale.ROOT));
        if (source != null) {
            json.path("source", source);
        }
        json.path("path", failure.fullPath()).text("operation", failure.operation()).number("errno", failure.errno());
        if (tries >= 0) {
            json.number("tries", tries);
        }
        json.text("message", failure.toString()).end();
    }
}
