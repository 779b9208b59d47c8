// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.locality.DataLayout;

/** Writes an entry as a line of NDJSON; {@code docs/guide/walk.md} lists the fields. */
public final class EntryJson {

    private EntryJson() {}

    public static void write(JsonLines json, ByteString path, Entry entry) {
        fields(json, path, entry);
        json.end();
    }

    /** Writes an entry, and where its data are if that is known. */
    public static void write(JsonLines json, ByteString path, Entry entry, Optional<DataLayout> layout) {
        fields(json, path, entry);
        layout.ifPresent(known -> LayoutJson.write(json, known));
        json.end();
    }

    private static void fields(JsonLines json, ByteString path, Entry entry) {
        json.begin("entry").path("path", path).text("kind", entry.kind().label()).number("depth", entry.path().depth());
        json.unsigned("inode", entry.inode());
        entry.status().ifPresent(status -> write(json, status));
        entry.linkTarget().ifPresent(target -> json.path("target", target));
    }

    /** Writes the list of servers that have data of a file. */
    public static void servers(JsonLines json, List<String> servers) {
        json.list("servers");
        servers.forEach(json::textElement);
        json.endList();
    }

    private static void write(JsonLines json, FileStatus status) {
        json.unsigned("device", status.device())
                .text("mode", "0" + Integer.toOctalString(status.permissions()))
                .number("uid", status.uid())
                .number("gid", status.gid())
                .number("links", status.linkCount())
                .number("size", status.size())
                .number("blocks", status.blocks())
                .text("atime", time(status.atimeSeconds(), status.atimeNanos()))
                .text("mtime", time(status.mtimeSeconds(), status.mtimeNanos()))
                .text("ctime", time(status.ctimeSeconds(), status.ctimeNanos()));
        status.btime().ifPresent(made -> json.text("btime", time(made.seconds(), made.nanos())));
        if (status.kind() == EntryKind.BLOCK || status.kind() == EntryKind.CHARACTER) {
            json.unsigned("special_device", status.specialDevice());
        }
    }

    // The form of Timestamp.toString() without its formatter, because this is called three times per entry.
    private static String time(long seconds, int nanos) {
        String digits = Integer.toString(nanos);
        return new StringBuilder(32).append(seconds)
                .append('.')
                .repeat('0', 9 - digits.length())
                .append(digits)
                .toString();
    }

    /** Returns a time in the form used in the fields. */
    public static String time(Timestamp time) {
        return time(time.seconds(), time.nanos());
    }
}
