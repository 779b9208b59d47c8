// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.BulkLoad;

/** Times questions of an index of many generated entries, each by a {@code treehaul query} of its own. */
final class QueryTimes {
    private static final long NANOS = 1_000_000_000;
    private static final Path CACHES = Path.of("/proc/sys/vm/drop_caches");

    private static final List<List<String>> QUESTIONS = List.of(List.of("path=/scratch/project5/run5/d7/file25.c"),
            List.of("--count", "path^=/scratch/project5/run5/"), List.of("--count", "kind=regular", "size>1M"),
            List.of("--count", "name=*.h5"), List.of("--count", "mtime>2025-01-01"),
            List.of("--sum", "size", "kind=regular"), List.of("--top", "3", "kind=regular"),
            List.of("--group-by", "owner"), List.of("--group-by", "directory", "size>1G"));

    private final Path treehaul;
    private final Path space;

    private QueryTimes(Path treehaul, Path space) {
        this.treehaul = treehaul;
        this.space = space;
    }

    /**
     * Measures all questions.
     *
     * @param on where the space is made
     * @return for each thing that was done the seconds that it took in each round
     */
    static Map<String, List<Double>> measure(Path treehaul, Path on, int entries, int rounds)
            throws IOException, InterruptedException {
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        Path directory = Files.createTempDirectory(on, "treehaul-queries");
        try {
            QueryTimes times = new QueryTimes(treehaul, directory.resolve("space"));
            long begin = System.nanoTime();
            times.load(entries);
            double passed = (System.nanoTime() - begin) / (double) NANOS;
            seconds.put("bulk load, synced", List.of(passed));
            times.ask(QUESTIONS.getFirst());
            for (int round = 0; round < rounds; round++) {
                for (List<String> question : QUESTIONS) {
                    seconds.computeIfAbsent("`" + String.join(" ", question) + "`", key -> new ArrayList<>())
                            .add(times.ask(question));
                }
                if (Files.isWritable(CACHES)) {
                    new ProcessBuilder("sync").start().waitFor();
                    Files.writeString(CACHES, "3");
                    List<String> question = QUESTIONS.get(2);
                    seconds.computeIfAbsent("`" + String.join(" ", question) + "`, cold caches",
                            key -> new ArrayList<>()).add(times.ask(question));
                }
            }
        } finally {
            PathUtils.deleteDirectory(directory);
        }
        return seconds;
    }

    private double ask(List<String> question) throws IOException, InterruptedException {
        List<String> command = Stream
                .concat(Stream.of(treehaul.toString(), "query", "--space", space.toString()), question.stream())
                .toList();
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(command + " ended with " + process.exitValue());
        }
        return (System.nanoTime() - begin) / (double) NANOS;
    }

    /** Loads the entries as a run of index does: in the order of a walk, with its indexes of the database. */
    private void load(int entries) {
        try (BulkLoad load = TupleSpaces.bulkLoad(space, SpaceOptions.defaults().index(FileTuple.class, "directory"))) {
            SampleIndex.generate(entries, load::add);
            load.finish();
        }
    }
}
