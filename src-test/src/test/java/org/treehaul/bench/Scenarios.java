// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.treehaul.bench.Goal.FASTEST_PEER;
import static org.treehaul.bench.Goal.SAME_METADATA;
import static org.treehaul.bench.Goal.below;
import static org.treehaul.bench.Goal.callsAboveFloor;
import static org.treehaul.bench.Goal.cpu;
import static org.treehaul.bench.Goal.peak;
import static org.treehaul.bench.Goal.ratio;
import static org.treehaul.bench.Goal.seconds;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.treehaul.bench.Scenario.Task;
import org.treehaul.bench.Scenario.Where;

/** All scenarios; those on the same tree are adjacent. */
final class Scenarios {

    private static final int SLOW_MILLIS = 2;
    // CPU time of a transfer of ten files by two local jobs, with its planning and its submission.
    private static final double JOBS_SECONDS = 1.5;
    private static final double STATUS_SECONDS = 0.3;

    private Scenarios() {}

    static List<Scenario> all(Tools tools, Path jar) {
        return List.of(
                new Scenario("start", "Start: what --version takes", Optional.empty(), Where.EACH, false, Task.READ,
                        tools.starters(jar), "treehaul", List.of(seconds(0.2))),
                walk("walk", "Walk with the status of each entry, warm", DataSet.WALK, tools,
                        List.of(ratio("find -printf", 0.6), below("pdu"), below("bfs -printf"), peak(100))),
                new Scenario("du", "Space of each directory, warm", Optional.of(DataSet.WALK), Where.EACH, false,
                        Task.READ, tools.summers(), "du", List.of(below("du"), below("pdu"), peak(100))),
                new Scenario("names", "Names only, warm", Optional.of(DataSet.WALK), Where.EACH, false, Task.READ,
                        tools.listers(), "find", List.of(below("find"), below("fd"))),
                new Scenario("find", "Search by a condition on the status, warm", Optional.of(DataSet.WALK), Where.EACH,
                        false, Task.READ, tools.searchers(), "find -size", List.of(ratio("find -size", 0.9))),
                new Scenario("find-name", "Search by a name, warm", Optional.of(DataSet.WALK), Where.EACH, false,
                        Task.READ, tools.nameSearchers(), "find -name", List.of(ratio("find -name", 0.9))),
                new Scenario("find-large", "Search of 2.5 million files by a condition on the status, warm",
                        Optional.of(DataSet.WIDE), Where.MEMORY, false, Task.READ, tools.searchers(), "find -size",
                        List.of(ratio("find -size", 0.6))),
                new Scenario("find-name-large", "Search of 2.5 million files by a name, warm",
                        Optional.of(DataSet.WIDE), Where.MEMORY, false, Task.READ, tools.nameSearchers(), "find -name",
                        List.of(ratio("find -name", 0.6))),
                new Scenario("walk-cold", "Walk with the status of each entry, cold", Optional.of(DataSet.WALK),
                        Where.DISK, true, Task.READ, tools.walkers(), "find -printf", List.of(below(FASTEST_PEER))),
                walk("deep", "Walk of a deep skewed tree, warm", DataSet.DEEP, tools, List.of(below("bfs -printf"))),
                walk("flat", "Walk of one directory, warm", DataSet.FLAT, tools, List.of(below("find -printf"))),
                copy("tiny", "Copy of tiny files, warm", DataSet.TINY, false, tools.copiers(),
                        List.of(ratio("cp -a", 0.55), below("xcp"), callsAboveFloor(1))),
                new Scenario("verify", "Copy of tiny files with --verify, warm", Optional.of(DataSet.TINY),
                        Where.MEMORY, false, Task.COPY, tools.verifiers(), "treehaul", List.of(ratio("treehaul", 1.6))),
                jobs("jobs-start", "Copy of ten files by two jobs", DataSet.TEN, tools, cpu(JOBS_SECONDS)),
                jobs("jobs", "Copy of tiny files by two jobs, warm", DataSet.TINY, tools,
                        cpu("treehaul", 1.25, JOBS_SECONDS)),
                new Scenario("status", "Status of a transfer of 10,000 batches", Optional.of(DataSet.TINY),
                        Where.MEMORY, false, Task.READ, tools.statuses(), "treehaul", List.of(seconds(STATUS_SECONDS))),
                new Scenario("plan", "Plan of a copy, warm", Optional.of(DataSet.WALK), Where.MEMORY, false, Task.READ,
                        tools.planners(), "treehaul", List.of(ratio("treehaul", 1.2), cpu("treehaul", 1.2, 0))),
                new Scenario("sync", "Synchronisation with nothing to do, warm", Optional.of(DataSet.WALK),
                        Where.MEMORY, false, Task.COMPARE, tools.synchronizers(), "rsync -aHAX",
                        List.of(ratio("rsync -aHAX", 0.8))),
                index("index", "First index, warm", Task.INDEX, tools.indexers("{target}"), 2.5),
                index("index-again", "Index with nothing changed, warm", Task.READ,
                        tools.indexers("{other}-index-NAME"), 1.5),
                remove("rm", "Removal, warm", DataSet.WALK, Where.MEMORY, tools, 0.7),
                remove("rm-disk", "Removal on a disk, warm", DataSet.WALK, Where.DISK, tools, 0.85),
                remove("rm-flat", "Removal of one directory, warm", DataSet.FLAT, Where.EACH, tools, 1.1),
                compare("cmp", "Comparison of metadata, warm", tools.comparers(), "rsync -n"),
                compare("cmp-content", "Comparison of content, warm", tools.contentComparers(), "diff -r"),
                copy("many", "Copy of many small files, warm", DataSet.MANY, false, tools.copiers(),
                        List.of(ratio("cp -a", 0.85), below(SAME_METADATA))),
                copy("many-cold", "Copy of many small files, cold", DataSet.MANY, true, tools.copiers(),
                        List.of(ratio("cp -a", 0.6), below(SAME_METADATA))),
                copy("large", "Copy of large files, warm", DataSet.LARGE, false, tools.copiers(),
                        List.of(below(FASTEST_PEER))),
                copy("large-cold", "Copy of large files, cold", DataSet.LARGE, true, tools.copiersOfLarge(),
                        List.of(below(FASTEST_PEER))),
                slow("slow-walk", "Walk, 2 ms for each call", Task.READ, tools.slow("walk", SLOW_MILLIS)),
                slow("slow-copy", "Copy, 2 ms for each call", Task.COPY, tools.slow("copy", SLOW_MILLIS)));
    }

    private static Scenario walk(String name, String title, DataSet data, Tools tools, List<Goal> goals) {
        return new Scenario(name, title, Optional.of(data), Where.EACH, false, Task.READ, tools.walkers(),
                "find -printf", goals);
    }

    private static Scenario copy(String name, String title, DataSet data, boolean isCold, List<Tool> tools,
            List<Goal> goals) {
        return new Scenario(name, title, Optional.of(data), isCold ? Where.DISK : Where.MEMORY, isCold, Task.COPY,
                tools, "cp -a", goals);
    }

    private static Scenario jobs(String name, String title, DataSet data, Tools tools, Goal goal) {
        return new Scenario(name, title, Optional.of(data), Where.MEMORY, false, Task.COPY, tools.jobs(), "treehaul",
                List.of(goal));
    }

    private static Scenario remove(String name, String title, DataSet data, Where where, Tools tools, double factor) {
        return new Scenario(name, title, Optional.of(data), where, false, Task.REMOVE, tools.removers(), "rm",
                List.of(ratio("rm", factor)));
    }

    private static Scenario index(String name, String title, Task task, List<Tool> tools, double factor) {
        return new Scenario(name, title, Optional.of(DataSet.WALK), Where.MEMORY, false, task, tools, "treehaul walk",
                List.of(ratio("treehaul walk", factor)));
    }

    private static Scenario compare(String name, String title, List<Tool> tools, String baseline) {
        return new Scenario(name, title, Optional.of(DataSet.TINY), Where.MEMORY, false, Task.COMPARE, tools, baseline,
                List.of(below(FASTEST_PEER)));
    }

    // Compares the number of threads that TreeHaul chooses with the numbers that it might have chosen.
    private static Scenario slow(String name, String title, Task task, List<Tool> tools) {
        return new Scenario(name, title, Optional.of(DataSet.SLOW), Where.MEMORY, false, task, tools, "adaptive",
                List.of(ratio(FASTEST_PEER, 1 / 0.9)));
    }
}
