// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import org.treehaul.programs.Programs;

/**
 * The available tools for each task.
 *
 * @param treehauls the treehaul commands by their names in the report
 * @param floor the program of bare system calls, if there is a compiler
 * @param wanted selects the tools that the user requested
 */
record Tools(Map<String, String> treehauls, Optional<Path> floor, Predicate<String> wanted) {

    // The first run makes the transfer.
    private static final String STATUS_OF_MANY_BATCHES = """
            [ -d "$2/copy" ] || {
                mkdir -p "$2" && "$0" cp -a --jobs 2 --batches 10000 --scheduler local --wait \\
                    --state-dir "$2/state" -T "$1" "$2/copy" > "$2/output" || exit
            }
            exec "$0" status --state-dir "$2/state" last""";

    private static final String RANKS = Integer.toString(Runtime.getRuntime().availableProcessors());

    /** Returns tools that read the status of every entry. */
    List<Tool> walkers() {
        return present(ours("walk", "{source}"), floor("walk", "{source}"),
                List.of(Tool.peer("find -printf", "find", "{source}", "-printf", "%s %p\\n"),
                        Tool.peer("bfs -printf", "bfs", "{source}", "-printf", "%s %p\\n"),
                        Tool.peer("pdu", "pdu", "{source}"), Tool.peer("du", "du", "-s", "{source}"),
                        Tool.peer("dwalk", "mpirun", "-np", RANKS, "dwalk", "{source}")));
    }

    /** Returns tools that sum up the space of each directory. */
    List<Tool> summers() {
        return present(ours("du", "{source}"), floor("walk", "{source}"), List.of(Tool.peer("du", "du", "{source}"),
                Tool.peer("pdu", "pdu", "--quantity", "block-size", "{source}")));
    }

    /** Returns tools that list names and read nothing else. */
    List<Tool> listers() {
        return present(ours("walk", "--print", "{source}"), floor("names", "{source}"),
                List.of(Tool.peer("find", "find", "{source}"), Tool.peer("bfs", "bfs", "{source}"),
                        Tool.peer("fd", fd(), "--unrestricted", ".", "{source}"),
                        Tool.peer("dwalk --lite", "mpirun", "-np", RANKS, "dwalk", "--lite", "{source}")));
    }

    /** Returns tools that read the status of every entry to find those of some bytes. */
    List<Tool> searchers() {
        return present(ours("find", "{source}", "size>0"), floor("walk", "{source}"),
                List.of(Tool.peer("find -size", "find", "{source}", "-size", "+0c"),
                        Tool.peer("bfs -size", "bfs", "{source}", "-size", "+0c")));
    }

    /** Returns tools that find entries by their names alone. */
    List<Tool> nameSearchers() {
        return present(ours("find", "{source}", "name=*7"), floor("names", "{source}"),
                List.of(Tool.peer("find -name", "find", "{source}", "-name", "*7"),
                        Tool.peer("bfs -name", "bfs", "{source}", "-name", "*7"),
                        Tool.peer("fd --glob", fd(), "--unrestricted", "--glob", "*7", "{source}")));
    }

    /** Returns tools that copy with all metadata they can keep. */
    List<Tool> copiers() {
        return present(ours("cp", "-a", "-T", "{source}", "{target}"), floor("copy", "{source}", "{target}"),
                otherCopiers());
    }

    /** Returns the same tools, and copies past the page cache. */
    List<Tool> copiersOfLarge() {
        List<Tool> tools = new ArrayList<>(copiers());
        tools.addAll(present(variant(" --direct", "cp", "-a", "--direct", "-T", "{source}", "{target}"), List.of(),
                List.of()));
        return tools;
    }

    /** Returns the names of the copying tools that are not installed. */
    static List<String> absentCopiers() {
        return otherCopiers().stream().filter(tool -> !isThere(tool)).map(Tool::name).toList();
    }

    private static List<Tool> otherCopiers() {
        return List.of(Tool.peer("cp -a", "cp", "-a", "-T", "{source}", "{target}"),
                Tool.peer("rsync -a", "rsync", "-a", "{source}/", "{target}/"),
                Tool.peer("rsync -aHAX", "rsync", "-aHAX", "{source}/", "{target}/"),
                Tool.peer("xcp", "xcp", "-r", "--ownership", "--no-progress", "{source}", "{target}"),
                Tool.peer("dcp", "mpirun", "-np", RANKS, "dcp", "-p", "{source}", "{target}"));
    }

    /** Returns a copy that is read back, and the same copy without that. */
    List<Tool> verifiers() {
        List<Tool> tools = new ArrayList<>();
        ours("cp", "-a", "-T", "{source}", "{target}").forEach(tools::add);
        tools.addAll(variant(" --verify", "cp", "-a", "--verify", "-T", "{source}", "{target}"));
        return present(tools, List.of(), List.of());
    }

    /** Returns a copy, and the same copy by two jobs. Only our own meter, which needs a compiler, measures jobs. */
    List<Tool> jobs() {
        if (floor.isEmpty()) {
            return List.of();
        }
        List<Tool> tools = new ArrayList<>(ours("cp", "-a", "-T", "{source}", "{target}"));
        tools.addAll(variant(" --jobs 2", "cp", "-a", "--jobs", "2", "--scheduler", "local", "--wait", "--state-dir",
                "{state}", "-T", "{source}", "{target}"));
        return present(tools, List.of(), List.of());
    }

    /** Returns a walk, and the plan of a copy of the same tree. */
    List<Tool> planners() {
        List<Tool> tools = new ArrayList<>(ours("walk", "{source}"));
        tools.addAll(
                variant(" plan", "plan", "-a", "--jobs", "2", "-o", "{target}", "-T", "{source}", "{target}-planned"));
        return present(tools, List.of(), List.of());
    }

    /** Returns the status of a transfer of 10,000 batches, or of one for each file if there are fewer. */
    List<Tool> statuses() {
        List<Tool> tools = new ArrayList<>();
        treehauls.forEach((name, path) -> tools.add(new Tool(name, Tool.Role.OURS,
                List.of("sh", "-c", STATUS_OF_MANY_BATCHES, path, "{source}", "{other}-status-" + name))));
        return present(tools, List.of(), List.of());
    }

    /** Returns tools that compare the metadata of two trees. */
    List<Tool> comparers() {
        return present(ours("cmp", "{source}", "{other}"), List.of(), List.of(
                Tool.peer("rsync -n", "rsync", "-anHAX", "--delete", "--itemize-changes", "{source}/", "{other}/")));
    }

    /** Returns tools that make a copy equal to its source. */
    List<Tool> synchronizers() {
        return present(ours("sync", "-a", "{source}/", "{other}"), List.of(),
                List.of(Tool.peer("rsync -aHAX", "rsync", "-aHAX", "{source}/", "{other}/"),
                        Tool.peer("rsync -a", "rsync", "-a", "{source}/", "{other}/")));
    }

    /**
     * Returns our index, and our walk beside it.
     *
     * @param space the path of the space, in which NAME becomes the name of the treehaul
     */
    List<Tool> indexers(String space) {
        List<Tool> ours = new ArrayList<>();
        List<Tool> walks = new ArrayList<>();
        treehauls.forEach((name, path) -> {
            ours.add(new Tool(name, Tool.Role.OURS,
                    List.of(path, "index", "--space", space.replace("NAME", name), "{source}")));
            walks.add(Tool.peer(name + " walk", path, "walk", "{source}"));
        });
        return present(ours, List.of(), walks);
    }

    /** Returns tools that remove a tree. */
    List<Tool> removers() {
        return present(ours("rm", "-rf", "{target}"), floor("rm", "{target}"),
                List.of(Tool.peer("rm", "rm", "-rf", "{target}")));
    }

    /** Returns tools that compare the content of two trees. */
    List<Tool> contentComparers() {
        return present(ours("cmp", "--content", "{source}", "{other}"), List.of(), List.of(
                Tool.peer("rsync -nc", "rsync", "-anHAXc", "--delete", "--itemize-changes", "{source}/", "{other}/"),
                Tool.peer("diff -r", "diff", "-rq", "--no-dereference", "{source}", "{other}")));
    }

    /** Returns tools for measuring the start time alone. */
    List<Tool> starters(Path jar) {
        List<Tool> tools = new ArrayList<>(ours("--version"));
        tools.add(new Tool("java -jar", Tool.Role.OURS, List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(), "-jar", jar.toString(), "--version")));
        return present(tools, List.of(), List.of(Tool.peer("cp --version", "cp", "--version")));
    }

    /** Returns walks or copies of our own on a slow file system, with several numbers of threads. */
    List<Tool> slow(String what, int millis) {
        List<Tool> tools = new ArrayList<>();
        for (int threads : new int[]{0, 1, 2, 4, 8, 16, 32, 64}) {
            tools.add(new Tool(threads == 0 ? "adaptive" : "threads " + threads,
                    threads == 0 ? Tool.Role.OURS : Tool.Role.PEER,
                    List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
                            "-Xmn14m", "--enable-native-access=ALL-UNNAMED", "-cp",
                            System.getProperty("java.class.path"), SlowRun.class.getName(), what,
                            Integer.toString(threads), Integer.toString(millis), "{source}", "{target}")));
        }
        return present(tools, List.of(), List.of());
    }

    private List<Tool> ours(String... arguments) {
        return variant("", arguments);
    }

    private List<Tool> variant(String suffix, String... arguments) {
        List<Tool> tools = new ArrayList<>();
        treehauls.forEach((name, path) -> {
            List<String> command = new ArrayList<>(List.of(path));
            command.addAll(List.of(arguments));
            tools.add(new Tool(name + suffix, Tool.Role.OURS, command));
        });
        return tools;
    }

    private List<Tool> floor(String... arguments) {
        return floor.map(path -> {
            List<String> command = new ArrayList<>(List.of(path.toString()));
            command.addAll(List.of(arguments));
            return List.of(new Tool("C floor", Tool.Role.FLOOR, command));
        }).orElse(List.of());
    }

    private List<Tool> present(List<Tool> ours, List<Tool> floors, List<Tool> peers) {
        List<Tool> all = new ArrayList<>(ours);
        all.addAll(floors);
        peers.stream().filter(Tools::isThere).forEach(all::add);
        return all.stream().filter(tool -> wanted.test(tool.name())).toList();
    }

    private static boolean isThere(Tool tool) {
        String program = tool.command().getFirst();
        return Programs.find(program).isPresent()
                && (!program.equals("mpirun") || Programs.find(tool.command().get(3)).isPresent());
    }

    private static String fd() {
        // Debian's name for fd is fdfind.
        return Programs.find("fdfind").isPresent() ? "fdfind" : "fd";
    }
}
