// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.bench.Meter.Measurement;
import org.treehaul.programs.Programs;

/**
 * Runs the tools of a scenario in turn, so that disturbances of the machine affect all of them.
 *
 * @param meter measures
 * @param rounds the number of runs of each tool; each round begins with another tool
 * @param scale size of the data sets, 1 for the full ones
 * @param seed the seed of the data sets
 * @param log receives progress messages
 */
record Race(Meter meter, int rounds, double scale, long seed, Consumer<String> log) {

    private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");

    /**
     * The result of a scenario at a place.
     *
     * @param data the tree in words, empty if there was none
     * @param series the runs of each tool
     */
    record Outcome(Scenario scenario, Place place, String data, List<Series> series) {}

    /** The trees that the tools of a scenario use. */
    private record Trees(Path source, Path other, Path small, long bytes) {}

    static boolean canDropCaches() {
        return Files.isWritable(DROP);
    }

    /** Runs a scenario at a place. */
    Outcome run(Scenario scenario, Place place) throws IOException, InterruptedException {
        return run(scenario, place, trees(scenario, place),
                scenario.data().map(set -> describe(set.layout(scale, seed))).orElse(""));
    }

    /** Runs a scenario on a tree that is none of the data sets, with warm caches. */
    Outcome run(Scenario scenario, Place place, Path source, Layout layout) throws IOException, InterruptedException {
        return run(scenario, place, new Trees(source, source, source, layout.bytes()), describe(layout));
    }

    private Outcome run(Scenario scenario, Place place, Trees trees, String data)
            throws IOException, InterruptedException {
        List<Series> all = scenario.tools().stream().map(Series::new).toList();
        Deque<Path> copies = scenario.task() == Scenario.Task.REMOVE && !place.isMemory()
                ? copies(trees.source(), place, all.size() * (rounds + 1))
                : new ArrayDeque<>();
        if (!scenario.isCold()) {
            for (Series series : all) {
                series.check(once(scenario, place, trees, copies, series, true));
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < all.size(); i++) {
                Series series = all.get((i + round) % all.size());
                Measurement run = once(scenario, place, trees, copies, series, scenario.isCold() && round == 0);
                series.add(run);
                log.accept("%s on %s, round %d: %s %.3f s%s".formatted(scenario.name(), place.type(), round + 1,
                        series.tool().name(), run.wall(), run.code() == 0 ? "" : ", exit code " + run.code()));
            }
        }
        return new Outcome(scenario, place, data, all);
    }

    // After a removal, ext4 makes files slowly for a minute, so that all trees on a disk are made before the first one is removed.
    private Deque<Path> copies(Path source, Place place, int number) throws IOException, InterruptedException {
        place.rest(0);
        log.accept("making %d copies on %s".formatted(number, place.type()));
        Deque<Path> copies = new ArrayDeque<>(Stream.generate(place::fresh).limit(number).toList());
        copies.parallelStream().forEach(copy -> Programs.run("cp", "-a", "-T", source, copy));
        return copies;
    }

    private Measurement once(Scenario scenario, Place place, Trees trees, Deque<Path> copies, Series series,
            boolean judges) throws IOException, InterruptedException {
        boolean isCopy = scenario.task() == Scenario.Task.COPY;
        boolean isRemoval = scenario.task() == Scenario.Task.REMOVE;
        Path target = copies.isEmpty() ? place.fresh() : copies.remove();
        if (isRemoval && !Files.exists(target)) {
            Programs.run("cp", "-a", "-T", trees.source(), target);
        } else if (isRemoval) {
            // The caches may have lost what was made first.
            Programs.run("du", "-s", target);
        }
        // Earlier data must not be written back during this run.
        place.settle();
        if (scenario.isCold()) {
            dropCaches(place, series.tool(), trees);
        } else if (isCopy) {
            place.rest(2 * trees.bytes());
        }
        Measurement run = meter.measure(series.tool().on(trees.source(), trees.other(), target));
        if (isRemoval) {
            place.removed(target);
        }
        if (scenario.task() == Scenario.Task.INDEX || scenario.task() == Scenario.Task.READ) {
            // A space, or a plan.
            place.remove(target);
        }
        if (isCopy && judges) {
            series.judge(Judge.copy(trees.source(), target));
        }
        if (isCopy && scenario.isCold()) {
            // Dropping the caches makes ext4 forget that these inodes were used.
            place.remove(target);
        } else if (isCopy) {
            place.discard(target);
        }
        return run;
    }

    private Trees trees(Scenario scenario, Place place) throws IOException {
        if (scenario.data().isEmpty()) {
            return new Trees(place.root(), place.root(), place.root(), 0);
        }
        DataSet set = scenario.data().get();
        log.accept("%s on %s: making %s".formatted(scenario.name(), place.type(), set.label()));
        Path source = place.tree(set, scale, seed);
        Path small = place.tree("small", Layouts.tiny(200, seed), seed);
        Path other = source.resolveSibling(source.getFileName() + "-copy");
        if (scenario.task() == Scenario.Task.COMPARE) {
            place.remove(other);
            Programs.run("cp", "-a", "-T", source, other);
        }
        return new Trees(source, other, small, set.layout(scale, seed).bytes());
    }

    // The data are cold, but the program is not: it runs on a small tree first.
    private void dropCaches(Place place, Tool tool, Trees trees) throws IOException, InterruptedException {
        Programs.run("sync");
        Files.writeString(DROP, "3");
        Path target = place.fresh();
        meter.measure(tool.on(trees.small(), trees.small(), target));
        place.discard(target);
    }

    static String describe(Layout layout) {
        return "%,d files in %,d directories, %,d MiB".formatted(layout.files(), layout.directories() + 1,
                layout.bytes() >> 20);
    }
}
