// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.BulkLoad;

/** Times questions of an index of many generated entries, each by a {@code treehaul query} of its own. */
final class QueryTimes {
    private static final int FILES_IN_DIRECTORY = 49;
    private static final int DIRECTORIES_IN_RUN = 20;
    private static final int RUNS_IN_PROJECT = 50;
    private static final long NANOS = 1_000_000_000;
    private static final long YEAR = 365L * 24 * 3600 * NANOS;
    private static final long NEWEST = 1_767_225_600 * NANOS; // 2026
    private static final List<String> SUFFIXES = List.of("c", "h", "dat", "h5", "log", "txt", "nc", "o");
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
        SplittableRandom random = new SplittableRandom(1);
        try (BulkLoad load = TupleSpaces.bulkLoad(space, SpaceOptions.defaults().index(FileTuple.class, "directory"))) {
            load.add(new IndexedRoot(ByteString.of("/scratch"), 1, NEWEST, entries, 0));
            for (int i = 0; i < entries;) {
                int number = i / (FILES_IN_DIRECTORY + 1);
                int run = number / DIRECTORIES_IN_RUN;
                String parent = "/scratch/project" + run / RUNS_IN_PROJECT + "/run" + run % RUNS_IN_PROJECT;
                String name = "d" + number % DIRECTORIES_IN_RUN;
                load.add(tuple(random, parent, name, EntryKind.DIRECTORY, i++));
                for (int file = 0; file < FILES_IN_DIRECTORY && i < entries; file++) {
                    load.add(tuple(random, parent + "/" + name,
                            "file" + file + "." + SUFFIXES.get(file % SUFFIXES.size()), EntryKind.REGULAR, i++));
                }
            }
            load.finish();
        }
    }

    private static FileTuple tuple(SplittableRandom random, String directory, String name, EntryKind kind, int inode) {
        // Most files are small, few are very large.
        long size = (long) Math.exp(random.nextGaussian(9, 3));
        long time = NEWEST - random.nextLong(5 * YEAR);
        return new FileTuple(ByteString.of(directory), ByteString.of(name), kind, size, (size + 511) / 512, time, time,
                time, time, 0644, 1000 + random.nextInt(40), 100, 1, inode, 1, null, null, false, 1);
    }
}
