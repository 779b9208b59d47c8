// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the measurements were made on, for the report. */
final class Machine {

    private Machine() {}

    /** Returns names and values. */
    static Map<String, String> facts(List<Place> places, Meter meter) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("processor", field("/proc/cpuinfo", "model name"));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", field("/proc/meminfo", "MemTotal"));
        facts.put("kernel", Shell.run("uname", "-sr").strip());
        facts.put("Java", System.getProperty("java.runtime.version"));
        facts.put("file systems", String.join(", ", places.stream().map(Place::type).distinct().toList()));
        facts.put("measured by", meter.name());
        return facts;
    }

    /** Returns the version of each program that takes part, by its name. */
    static Map<String, String> versions(Collection<Tool> tools) {
        Map<String, String> versions = new TreeMap<>();
        for (Tool tool : tools) {
            String program = tool.command().getFirst();
            String name = program.substring(program.lastIndexOf('/') + 1);
            if (tool.role() == Tool.Role.PEER && !name.equals("mpirun") && !name.equals("java")) {
                versions.computeIfAbsent(name, key -> Shell.ask(List.of(program, "--version")).firstLine());
            } else if (tool.role() == Tool.Role.OURS && !name.equals("java")) {
                versions.computeIfAbsent(tool.name(), key -> Shell.ask(List.of(program, "--version")).firstLine());
            }
        }
        return versions;
    }

    private static String field(String file, String name) throws IOException {
        return Files.readAllLines(Path.of(file))
                .stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }
}
