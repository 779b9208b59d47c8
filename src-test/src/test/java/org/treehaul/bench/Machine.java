// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.treehaul.programs.Programs;

/** Describes the machine of the measurements, for the report. */
final class Machine {

    private Machine() {}

    /** Returns names and values. */
    static Map<String, String> facts(List<Place> places) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("processor", field("/proc/cpuinfo", "model name"));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("memory", field("/proc/meminfo", "MemTotal"));
        facts.put("kernel", Programs.run("uname", "-sr").strip());
        facts.put("Java", System.getProperty("java.runtime.version"));
        facts.put("file systems", String.join(", ", places.stream().map(Place::type).distinct().toList()));
        return facts;
    }

    /** Returns the version of each program in the comparison, by its name. */
    static Map<String, String> versions(List<Scenario> scenarios, Map<String, String> treehauls) {
        Map<String, String> versions = new TreeMap<>();
        treehauls.forEach((name, path) -> versions.put(name, version(path)));
        scenarios.stream()
                .flatMap(scenario -> scenario.tools().stream())
                .filter(tool -> tool.role() == Tool.Role.PEER)
                .map(tool -> tool.command().getFirst())
                // A path is a program of ours; the programs of mpiFileUtils have no such option.
                .filter(program -> !program.contains("/") && !program.equals("mpirun"))
                .forEach(program -> versions.computeIfAbsent(program, Machine::version));
        return versions;
    }

    /**
     * Starts TreeHaul so that it records its archives of classes before the first start that is measured: one for all
     * commands, and one for those on trees, which older builds lack.
     */
    static void recordArchives(String treehaul) {
        Programs.run(treehaul, "--version");
        Programs.run(treehaul, "walk", treehaul);
    }

    private static String version(String program) {
        return Programs.ask(program, "--version").firstLine();
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
