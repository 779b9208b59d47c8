// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The report about shared spaces, one page in Markdown: a table of all goals, and a part for each command that
 * measures. A command replaces its own part and its own goals, and leaves those of others.
 */
public final class SharedSpaceReport {
    private static final String HEADING = "## ";
    private static final String GOALS = "Goals";

    /** A part of the report, which one command measures. */
    public enum Part {
        /** Spaces and an index on one server. */
        SERVER("Server"),
        /** A space over several stores. */
        PARTITIONS("Partitions"),
        /** A pool of workers. */
        POOL("Pool");

        private final String title;

        Part(String title) {
            this.title = title;
        }
    }

    /** A goal, what was measured, and whether that reaches it. */
    public record Goal(String text, String measured, boolean isReached) {}

    private SharedSpaceReport() {}

    /** Returns what concerns all measurements of this machine, for {@link #table}. */
    public static Map<String, String> facts() throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("Java", System.getProperty("java.runtime.version"));
        facts.put("load at the beginning", load());
        return facts;
    }

    /** Returns the load of this machine as the kernel shows it. */
    public static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }

    /** Returns names and values as a table. */
    public static String table(Map<String, String> facts) {
        StringBuilder text = new StringBuilder("|  |  |\n| --- | --- |\n");
        facts.forEach((name, value) -> text.append("| ").append(name).append(" | ").append(value).append(" |\n"));
        return text.toString();
    }

    /**
     * Writes a part and its goals into a page, which is made if it does not exist.
     *
     * @param page null for a page with this part only on the standard output
     * @param text the part, with headings of the third level or deeper
     */
    public static void write(@Nullable Path page, Part part, String text, List<Goal> goals) throws IOException {
        if (page == null) {
            System.out.print(replaced("", part, text, goals));
        } else {
            Files.writeString(page, replaced(Files.exists(page) ? Files.readString(page) : "", part, text, goals));
        }
    }

    /** Returns a page with another part. */
    static String replaced(String page, Part part, String text, List<Goal> goals) {
        Map<String, StringBuilder> sections = sections(page);
        StringBuilder whole = new StringBuilder(
                """
                        # Speed of shared spaces

                        Each part is made by the command at its beginning, which replaces the part and its goals; the parts are of different days and
                        loads of the machine. The measurements are described in [bench.md](../guide/bench.md#tuple-spaces-on-a-server).

                        ## Goals

                        | part | goal | measured | reached |
                        | --- | --- | --- | --- |
                        """);
        for (Part each : Part.values()) {
            String row = "| " + each.title + " | ";
            if (each == part) {
                goals.forEach(goal -> whole.append(row)
                        .append(String.join(" | ", goal.text(), goal.measured(), goal.isReached() ? "yes" : "**no**"))
                        .append(" |\n"));
            } else {
                section(sections, GOALS).lines()
                        .filter(line -> line.startsWith(row))
                        .forEach(line -> whole.append(line).append('\n'));
            }
        }
        for (Part each : Part.values()) {
            String content = each == part ? text : section(sections, each.title);
            if (!content.isBlank()) {
                // The command at the beginning is indented.
                whole.append('\n')
                        .append(HEADING)
                        .append(each.title)
                        .append("\n\n")
                        .append(content.stripTrailing().replaceFirst("^\n+", ""))
                        .append('\n');
            }
        }
        return whole.toString();
    }

    private static String section(Map<String, StringBuilder> sections, String title) {
        return sections.getOrDefault(title, new StringBuilder()).toString();
    }

    private static Map<String, StringBuilder> sections(String page) {
        Map<String, StringBuilder> sections = new HashMap<>();
        String title = "";
        for (String line : page.lines().toList()) {
            if (line.startsWith(HEADING)) {
                title = line.substring(HEADING.length());
            } else {
                sections.computeIfAbsent(title, _ -> new StringBuilder()).append(line).append('\n');
            }
        }
        return sections;
    }
}
