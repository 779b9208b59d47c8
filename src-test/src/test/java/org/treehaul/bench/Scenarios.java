// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.treehaul.bench.Goal.FASTEST_PEER;
import static org.treehaul.bench.Goal.SAME_METADATA;
import static org.treehaul.bench.Goal.below;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.treehaul.bench.Scenario.Task;
import org.treehaul.bench.Scenario.Where;

/** All scenarios, those on the same tree beside each other. */
final class Scenarios {

    private static final int SLOW_MILLIS = 2;

    private Scenarios() {}

    static List<Scenario> all(Tools tools, Path jar) {
        String find = "find -printf";
        return List.of(
                new Scenario("start", "Start: what --version takes", Optional.empty(), Where.EACH, false, Task.READ,
                        tools.starters(jar), "cp --version", List.of(), 0),
                read("walk", "Walk with the status of each entry, warm", DataSet.WALK, false, tools.walkers(), find,
                        List.of(new Goal(find, 0.6), below("pdu"), below("bfs -printf")), 100),
                read("names", "Names only, warm", DataSet.WALK, false, tools.listers(), "find",
                        List.of(below("find"), below("fd")), 100),
                read("walk-cold", "Walk with the status of each entry, cold", DataSet.WALK, true, tools.walkers(), find,
                        List.of(below(FASTEST_PEER)), 100),
                read("deep", "Walk of a deep skewed tree, warm", DataSet.DEEP, false, tools.walkers(), find,
                        List.of(below("bfs -printf")), 0),
                read("flat", "Walk of one directory, warm", DataSet.FLAT, false, tools.walkers(), find,
                        List.of(below(find)), 0),
                copy("tiny", "Copy of tiny files, warm", DataSet.TINY, false, tools.copiers(),
                        List.of(new Goal("cp -a", 0.55), below("xcp"))),
                copy("verify", "Copy of tiny files with --verify, warm", DataSet.TINY, false, tools.verifiers(),
                        List.of(new Goal("treehaul", 1.6))),
                compare("cmp", "Comparison of metadata, warm", tools.comparers(), "rsync -n"),
                compare("cmp-content", "Comparison of content, warm", tools.contentComparers(), "diff -r"),
                copy("many", "Copy of many small files, warm", DataSet.MANY, false, tools.copiers(),
                        List.of(new Goal("cp -a", 0.85), below(SAME_METADATA))),
                copy("many-cold", "Copy of many small files, cold", DataSet.MANY, true, tools.copiers(),
                        List.of(new Goal("cp -a", 0.6), below(SAME_METADATA))),
                copy("large", "Copy of large files, warm", DataSet.LARGE, false, tools.copiers(),
                        List.of(below(FASTEST_PEER))),
                copy("large-cold", "Copy of large files, cold", DataSet.LARGE, true, tools.copiers(),
                        List.of(below(FASTEST_PEER))),
                slow("slow-walk", "Walk, 2 ms for each call", Task.READ, tools.slow("walk", SLOW_MILLIS)),
                slow("slow-copy", "Copy, 2 ms for each call", Task.COPY, tools.slow("copy", SLOW_MILLIS)));
    }

    private static Scenario read(String name, String title, DataSet data, boolean isCold, List<Tool> tools,
            String baseline, List<Goal> goals, int mostMib) {
        return new Scenario(name, title, Optional.of(data), isCold ? Where.DISK : Where.EACH, isCold, Task.READ, tools,
                baseline, goals, mostMib);
    }

    private static Scenario copy(String name, String title, DataSet data, boolean isCold, List<Tool> tools,
            List<Goal> goals) {
        return new Scenario(name, title, Optional.of(data), isCold ? Where.DISK : Where.MEMORY, isCold, Task.COPY,
                tools, name.equals("verify") ? "treehaul" : "cp -a", goals, 0);
    }

    private static Scenario compare(String name, String title, List<Tool> tools, String baseline) {
        return new Scenario(name, title, Optional.of(DataSet.TINY), Where.MEMORY, false, Task.COMPARE, tools, baseline,
                List.of(below(FASTEST_PEER)), 0);
    }

    // The peers of the thread number that TreeHaul chooses are the numbers that it might have chosen.
    private static Scenario slow(String name, String title, Task task, List<Tool> tools) {
        return new Scenario(name, title, Optional.of(DataSet.SLOW), Where.MEMORY, false, task, tools, "adaptive",
                List.of(new Goal(FASTEST_PEER, 1 / 0.9)), 0);
    }
}
