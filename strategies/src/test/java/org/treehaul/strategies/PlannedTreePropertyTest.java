// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** With every strategy, the plan of a random tree contains every entry exactly once. */
class PlannedTreePropertyTest {

    private static final int CHUNK = 1 << 20;

    @Provide
    Arbitrary<Batching> strategies() {
        return Arbitraries.of(Strategies.sizeBalanced(), Strategies.directoryGrouped(), Strategies.streaming());
    }

    private static Plan plan(Path source, Path directory, Batching strategy, int jobs, int threads)
            throws PlanException {
        return plan(source, directory, strategy, jobs, threads, CHUNK);
    }

    private static Plan plan(Path source, Path directory, Batching strategy, int jobs, int threads, long chunkBytes)
            throws PlanException {
        BatchLimits limits = strategy.isStreaming() ? new BatchLimits(0, 10, 1 << 20) : BatchLimits.batches(jobs);
        PlanRequest request = PlanRequest
                .of("t", List.of(new PlanRequest.Pair(Root.of(ByteString.of(source.toString())),
                        ByteString.of(directory + "-target"))), strategy)
                .withChunkBytes(chunkBytes)
                .withLimits(jobs, limits)
                .withToken(false)
                .withWalk(WalkOptions.defaults().withThreads(threads));
        Planner.of(Linux.calls(), request).plan(directory, EventListener.none(), new Progress(), new Cancellation());
        return Plan.open(directory);
    }

    private static <T> List<T> all(PlanRecords<T> records) throws PlanException {
        try (records) {
            List<T> list = new ArrayList<>();
            for (T next = records.next(); next != null; next = records.next()) {
                list.add(next);
            }
            return list;
        }
    }

    private static Map<TreePath, FileStatus> walk(Path source) {
        Map<TreePath, FileStatus> found = Collections.synchronizedMap(new HashMap<>());
        TreeWalker.of(Linux.calls(), WalkOptions.defaults())
                .walk(List.of(Root.of(ByteString.of(source.toString()))), () -> (Entry entry) -> {
                    found.put(entry.path(), entry.status().orElseThrow());
                    return Step.CONTINUE;
                }, new Cancellation());
        return found;
    }

    @Property(tries = 60)
    void everyEntryIsInExactlyOneBatch(@ForAll long seed, @ForAll("strategies") Batching strategy,
            @ForAll @IntRange(min = 1, max = 20) int jobs) throws PlanException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = directory.directory("source");
            RandomTree.make(Linux.calls(), source, seed, 80);
            Plan plan = plan(source, directory.resolve("plan"), strategy, jobs, 0);
            Map<TreePath, FileStatus> found = walk(source);
            Set<TreePath> planned = new HashSet<>();
            Map<TreePath, List<ChunkRange>> chunks = new HashMap<>();
            Map<Long, Set<Integer>> batchesOfInode = new HashMap<>();
            for (PlannedBatch batch : plan.batches()) {
                List<ManifestEntry> entries = all(plan.manifest(batch.number()));
                assertThat(entries).hasSize((int) batch.entries()).isNotEmpty();
                Set<Long> groups = new HashSet<>();
                long bytes = 0;
                for (ManifestEntry entry : entries) {
                    FileStatus status = Objects.requireNonNull(found.get(entry.path()));
                    assertThat(entry.kind()).isEqualTo(status.kind());
                    assertThat(entry.size()).isEqualTo(status.size());
                    assertThat(entry.mtime()).isEqualTo(status.mtime());
                    assertThat(entry.inode()).isEqualTo(status.inode());
                    assertThat(entry.device()).isEqualTo(status.device());
                    if (entry.chunk() != null) {
                        chunks.computeIfAbsent(entry.path(), p -> new ArrayList<>()).add(entry.chunk());
                        bytes += entry.bytes();
                        continue;
                    }
                    assertThat(planned.add(entry.path())).isTrue();
                    batchesOfInode.computeIfAbsent(entry.inode(), i -> new HashSet<>()).add(batch.number());
                    bytes += entry.group() == 0 || groups.add(entry.group()) ? entry.bytes() : 0;
                }
                assertThat(bytes).isEqualTo(batch.bytes());
            }
            for (PlannedFile file : all(plan.chunked())) {
                assertThat(planned.add(file.path())).isTrue();
                file.links().forEach(link -> assertThat(planned.add(link.path())).isTrue());
                covers(Objects.requireNonNull(chunks.remove(file.path())), file);
            }
            assertThat(chunks).isEmpty();
            // Links of one file are never in different batches.
            assertThat(batchesOfInode.values()).allMatch(in -> in.size() == 1);
            List<TreePath> directories = all(plan.directories()).stream().map(PlannedDirectory::path).toList();
            for (TreePath path : directories) {
                assertThat(found.get(path)).isNotNull().extracting(FileStatus::kind).isEqualTo(EntryKind.DIRECTORY);
                assertThat(planned.add(path)).isTrue();
            }
            assertThat(planned).isEqualTo(found.keySet());
            for (int i = 1; i < directories.size(); i++) {
                TreePath above = directories.get(i).isRoot() ? null : directories.get(i).parent();
                assertThat(directories.subList(0, i)).isNotEmpty().doesNotContain(directories.get(i));
                assertThat(above == null || directories.indexOf(above) > i).isTrue();
            }
        }
    }

    private static void covers(List<ChunkRange> ranges, PlannedFile file) {
        assertThat(ranges).hasSize(file.chunks());
        List<ChunkRange> sorted = ranges.stream().sorted(Comparator.comparingLong(ChunkRange::from)).toList();
        long at = 0;
        for (int i = 0; i < sorted.size(); i++) {
            assertThat(sorted.get(i).number()).isEqualTo(i);
            assertThat(sorted.get(i).from()).isEqualTo(at);
            assertThat(sorted.get(i).bytes()).isBetween(1L, (long) CHUNK);
            at = sorted.get(i).to();
        }
        assertThat(at).isEqualTo(file.size());
    }

    // Counted by its size, a file of holes would fill most batches, and the division of the rest would be arbitrary.
    @Example
    void holesDoNotDistortTheBalance() throws PlanException {
        for (Batching strategy : List.of(Strategies.sizeBalanced(), Strategies.directoryGrouped(),
                Strategies.streaming())) {
            try (TestDirectory directory = TestDirectory.onTmpfs()) {
                Path source = directory.directory("source");
                long dense = 0;
                try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
                    writer.sparse(ByteString.of("holes"), 1L << 40, 0);
                    for (int i = 0; i < 20; i++) {
                        ByteString within = ByteString.of("d" + i);
                        writer.directory(within);
                        for (int file = 0; file < 10; file++) {
                            int size = i < 10 ? 1_000 : 40_000;
                            writer.file(ByteString.of(within + "/" + file), size, file);
                            dense += size;
                        }
                    }
                }
                Plan plan = plan(source, directory.resolve("plan"), strategy, 8, 0, 0);
                long average = dense / plan.batchCount();
                // Files of one directory stay together.
                long largest = strategy.name().equals(DirectoryGrouped.NAME) ? 400_000 : 40_000;
                for (PlannedBatch batch : plan.batches()) {
                    long bytes = 0;
                    for (ManifestEntry entry : all(plan.manifest(batch.number()))) {
                        bytes += entry.path().toString().equals("holes") ? 4096 : entry.size();
                    }
                    assertThat(bytes).as(strategy.name() + " " + plan.batches())
                            .isLessThanOrEqualTo(strategy.isStreaming() ? 1 << 20 : average + largest * 5 / 2);
                }
                if (strategy.isStreaming()) {
                    // With ten entries each, no batch was released early.
                    assertThat(plan.batchCount()).isEqualTo(21);
                } else {
                    assertThat(plan.batches().stream().mapToLong(PlannedBatch::entries).min().orElse(0))
                            .as(strategy.name() + " " + plan.batches())
                            .isGreaterThan(1);
                }
            }
        }
    }

    @Property(tries = 30)
    void equalTreesGiveEqualPlans(@ForAll long seed, @ForAll boolean grouped,
            @ForAll @IntRange(min = 1, max = 9) int jobs) throws IOException {
        Batching strategy = grouped ? Strategies.directoryGrouped() : Strategies.sizeBalanced();
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            List<Object> plans = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                RandomTree.make(Linux.calls(), directory.directory(name), seed, 60);
                Plan plan = plan(directory.resolve(name), directory.resolve("plan-" + name), strategy, jobs, 0);
                List<Object> lines = new ArrayList<>();
                for (PlannedBatch batch : plan.batches()) {
                    for (ManifestEntry entry : all(plan.manifest(batch.number()))) {
                        lines.add(Arrays.asList(batch.number(), entry.index(), entry.path(), entry.kind(), entry.size(),
                                entry.group(), entry.chunk()));
                    }
                }
                lines.add(all(plan.directories()));
                plans.add(lines);
            }
            assertThat(plans.getFirst()).isEqualTo(plans.getLast());
            // The same tree gives the same bytes with any number of threads.
            plan(directory.resolve("a"), directory.resolve("again"), strategy, jobs, 1);
            for (String name : List.of("batches", "directories", "chunked", "failures")) {
                assertThat(directory.resolve("again").resolve(name))
                        .hasSameBinaryContentAs(directory.resolve("plan-a").resolve(name));
            }
            try (Stream<Path> manifests = Files.list(directory.resolve("again").resolve("manifest"))) {
                for (Path manifest : manifests.toList()) {
                    assertThat(manifest).hasSameBinaryContentAs(
                            directory.resolve("plan-a").resolve("manifest").resolve(manifest.getFileName()));
                }
            }
        }
    }
}
