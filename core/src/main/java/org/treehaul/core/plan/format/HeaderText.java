// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;

/** Writes and reads a plan header as lines of text. */
public final class HeaderText {

    private HeaderText() {}

    /** Returns the lines of a header, each with its fields. */
    public static List<String[]> lines(PlanHeader header) {
        List<String[]> lines = new ArrayList<>();
        add(lines, "id", header.id());
        add(lines, "created", header.created());
        add(lines, "umask", String.format("%04o", header.umask()));
        add(lines, "uid", header.uid());
        add(lines, "host", escape(header.host()));
        add(lines, "strategy", escape(header.strategy()));
        add(lines, "jobs", header.jobs());
        add(lines, "batches", header.limits().batches());
        add(lines, "batch-files", header.limits().maxFiles());
        add(lines, "batch-bytes", header.limits().maxBytes());
        add(lines, "chunk-bytes", header.chunkBytes());
        add(lines, "link-groups", header.hasLinkGroups() ? "yes" : "no");
        for (PlannedRoot root : header.roots()) {
            add(lines, "root", root.source(), root.target());
        }
        add(lines, "token", header.token());
        for (ByteString directory : header.tokenDirectories()) {
            add(lines, "token-in", directory);
        }
        header.settings().forEach((key, value) -> add(lines, "set", escape(key), escape(value)));
        return lines;
    }

    private static void add(List<String[]> lines, Object... fields) {
        String[] line = new String[fields.length];
        for (int i = 0; i < fields.length; i++) {
            line[i] = fields[i].toString();
        }
        lines.add(line);
    }

    private static String escape(String text) {
        return ByteString.of(text).toString();
    }

    private static String unescape(String text) {
        return ByteString.unescape(text).utf8().orElseThrow(() -> new IllegalArgumentException("not a text: " + text));
    }

    static PlanHeader parse(Path file, List<String[]> lines) throws PlanException {
        Map<String, String> single = new HashMap<>();
        List<PlannedRoot> roots = new ArrayList<>();
        List<ByteString> tokens = new ArrayList<>();
        TreeMap<String, String> settings = new TreeMap<>();
        try {
            for (String[] line : lines) {
                switch (line[0]) {
                    case "root" ->
                        roots.add(new PlannedRoot(ByteString.unescape(line[1]), ByteString.unescape(line[2])));
                    case "token-in" -> tokens.add(ByteString.unescape(line[1]));
                    case "set" -> settings.put(unescape(line[1]), unescape(line[2]));
                    default -> single.put(line[0], line[1]);
                }
            }
            BatchLimits limits = new BatchLimits(Integer.parseInt(field(single, "batches")),
                    Long.parseLong(field(single, "batch-files")), Long.parseLong(field(single, "batch-bytes")));
            return new PlanHeader(field(single, "id"), Instant.parse(field(single, "created")),
                    Integer.parseInt(field(single, "umask"), 8), Long.parseLong(field(single, "uid")),
                    unescape(field(single, "host")), unescape(field(single, "strategy")), limits,
                    Integer.parseInt(field(single, "jobs")), Long.parseLong(field(single, "chunk-bytes")),
                    field(single, "link-groups").equals("yes"), roots, field(single, "token"), tokens, settings);
        } catch (IllegalArgumentException | IndexOutOfBoundsException | DateTimeException e) {
            throw PlanException.damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static String field(Map<String, String> fields, String key) {
        String value = fields.get(key);
        if (value == null) {
            throw new IllegalArgumentException("a line that starts with " + key + " is missing");
        }
        return value;
    }
}
