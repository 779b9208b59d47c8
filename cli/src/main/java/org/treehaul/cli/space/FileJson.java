// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.HexFormat;

import org.treehaul.cli.report.EntryJson;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * Writes the indexed attributes of an entry as a line of NDJSON, with the fields of {@link EntryJson} and further ones.
 */
final class FileJson {

    private FileJson() {}

    static void write(JsonLines json, String type, ByteString path, FileTuple tuple) {
        json.begin(type)
                .path("path", path)
                .text("kind", tuple.kind().label())
                .unsigned("inode", tuple.inode())
                .unsigned("device", tuple.device())
                .text("mode", "0" + Integer.toOctalString(tuple.mode()))
                .number("uid", tuple.owner())
                .number("gid", tuple.group())
                .number("links", tuple.links())
                .number("size", tuple.size())
                .number("blocks", tuple.blocks())
                .text("atime", time(tuple.atime()))
                .text("mtime", time(tuple.mtime()))
                .text("ctime", time(tuple.ctime()));
        Long btime = tuple.btime();
        if (btime != null) {
            json.text("btime", time(btime));
        }
        ByteString target = tuple.target();
        if (target != null) {
            json.path("target", target);
        }
        ByteString hash = tuple.hash();
        if (hash != null) {
            json.text("hash", HexFormat.of().formatHex(hash.toBytes()));
        }
        if (tuple.server() != null) {
            EntryJson.servers(json, ServerNames.of(tuple.server()));
        }
        if (tuple.unread()) {
            json.flag("unread", true);
        }
        json.number("generation", tuple.generation()).end();
    }

    private static String time(long nanos) {
        return EntryJson.time(Timestamp.ofNanos(nanos));
    }
}
