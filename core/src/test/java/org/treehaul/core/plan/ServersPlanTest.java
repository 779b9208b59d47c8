// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.LustreBytes;
import org.treehaul.core.locality.LustreCalls;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlannedBatch;

/** Plans of trees whose file system names the servers of each file. */
class ServersPlanTest {

    private static final int MIB = 1 << 20;

    private final LustreCalls calls = new LustreCalls(Linux.calls());

    private static void file(Plans plans, String name, long size) throws IOException {
        Path file = plans.source().resolve(name);
        Files.createDirectories(file.getParent());
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
        }
    }

    /** Makes 24 files on four servers, and small files in between, about which no server is asked. */
    private void tree(Plans plans) throws IOException {
        for (int i = 0; i < 24; i++) {
            file(plans, "d" + i % 5 + "/f" + i, MIB + i);
            file(plans, "d" + i % 5 + "/small" + i, i);
            calls.layout("f" + i, LustreBytes.striped(MIB, i % 4));
        }
    }

    private PlanRequest request(Plans plans, int jobs) {
        return plans.request(Batchings.DEALT).withLimits(jobs, BatchLimits.batches(10)).withServers(true);
    }

    private Plan plan(Plans plans, PlanRequest request) throws PlanException {
        plans.write(calls, request, new Cancellation());
        return plans.open();
    }

    private static String place(ManifestEntry entry) {
        String name = entry.path().toString().replaceFirst(".*/", "");
        return name.startsWith("f") ? "OST000" + Integer.parseInt(name.substring(1)) % 4 : "";
    }

    @Test
    void eachBatchHasTheFilesOfOneServerAndBatchesOfDifferentServersAlternate() throws IOException {
        try (Plans plans = new Plans()) {
            tree(plans);
            Plan plan = plan(plans, request(plans, 2));
            assertThat(plan.hasServers()).isTrue();
            assertThat(plan.batchCount()).isEqualTo(10);
            List<String> all = new ArrayList<>();
            for (Map.Entry<Integer, List<ManifestEntry>> batch : Plans.entries(plan).entrySet()) {
                List<String> servers = plan.servers(batch.getKey());
                assertThat(batch.getValue()).isNotEmpty()
                        .allMatch(entry -> place(entry).equals(String.join(",", servers)));
                batch.getValue().forEach(entry -> all.add(entry.path().toString()));
            }
            assertThat(all).hasSize(48).doesNotHaveDuplicates();
            for (int batch = 1; batch < plan.batchCount(); batch++) {
                assertThat(plan.servers(batch)).as("batch %d", batch).isNotEqualTo(plan.servers(batch - 1));
            }
            plan.check();
        }
    }

    @Test
    void equalTreesGiveEqualPlans() throws IOException {
        List<Map<Integer, List<String>>> made = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Plans plans = new Plans()) {
                tree(plans);
                Plan plan = plan(plans, request(plans, 2));
                Map<Integer, List<String>> batches = new TreeMap<>();
                Plans.entries(plan)
                        .forEach((batch, entries) -> batches.put(batch,
                                entries.stream().map(entry -> plan.servers(batch) + " " + entry.path()).toList()));
                made.add(batches);
            }
        }
        assertThat(made.get(1)).isEqualTo(made.get(0));
    }

    @Test
    void oneWorkerAStreamedPlanOrAPlanWithoutServersIsDividedAsEver() throws IOException {
        try (Plans plans = new Plans()) {
            tree(plans);
            List<PlanRequest> requests = List.of(request(plans, 1), request(plans, 2).withServers(false),
                    plans.request(Batchings.STREAMED).withLimits(2, BatchLimits.batches(10)).withServers(true));
            for (PlanRequest request : requests) {
                try (Plans other = new Plans()) {
                    Planner.of(calls, request).plan(other.plan(), event -> {
                    }, new Progress(), new Cancellation());
                    assertThat(other.open().hasServers()).isFalse();
                    assertThat(other.plan().resolve("servers")).doesNotExist();
                }
            }
        }
    }

    @Test
    void chunksOfOneFileGoToTheBatchesOfTheirServers() throws IOException {
        try (Plans plans = new Plans()) {
            file(plans, "large", 6L * MIB);
            calls.layout("large", LustreBytes.striped(MIB, 0, 1, 2));
            Plan plan = plan(plans, request(plans, 2).withChunkBytes(MIB));
            Map<String, List<Long>> chunks = new TreeMap<>();
            for (PlannedBatch batch : plan.batches()) {
                Plans.all(plan.manifest(batch.number()))
                        .forEach(entry -> chunks
                                .computeIfAbsent(plan.servers(batch.number()).getFirst(), server -> new ArrayList<>())
                                .add(Objects.requireNonNull(entry.chunk()).from() / MIB));
            }
            assertThat(chunks).isEqualTo(
                    Map.of("OST0000", List.of(0L, 3L), "OST0001", List.of(1L, 4L), "OST0002", List.of(2L, 5L)));
        }
    }

    @Test
    void filesAreCutWhereTheirDataChangeTheServer() throws IOException {
        try (Plans plans = new Plans()) {
            file(plans, "large", 5L * MIB + 7);
            file(plans, "whole", 3L * MIB);
            calls.layout("large", LustreBytes.striped(2 * MIB, 0, 1)).layout("whole", LustreBytes.striped(MIB, 1));
            for (int jobs = 1; jobs <= 2; jobs++) {
                try (Plans other = new Plans()) {
                    Planner.of(calls, request(plans, jobs).withChunkBytes(PlanRequest.BY_LAYOUT))
                            .plan(other.plan(), event -> {
                            }, new Progress(), new Cancellation());
                    Plan plan = other.open();
                    assertThat(plan.hasServers()).isEqualTo(jobs == 2);
                    List<String> parts = new ArrayList<>();
                    for (PlannedBatch batch : plan.batches()) {
                        for (ManifestEntry entry : Plans.all(plan.manifest(batch.number()))) {
                            parts.add(entry.path() + " " + entry.chunk()
                                    + (jobs == 1 ? "" : plan.servers(batch.number())));
                        }
                    }
                    String[] servers = jobs == 1 ? new String[]{"", ""} : new String[]{"[OST0000]", "[OST0001]"};
                    assertThat(parts).containsExactlyInAnyOrder(
                            "large " + new ChunkRange(0, 3, 0, 2 * MIB) + servers[0],
                            "large " + new ChunkRange(1, 3, 2 * MIB, 4 * MIB) + servers[1],
                            "large " + new ChunkRange(2, 3, 4 * MIB, 5L * MIB + 7) + servers[0],
                            "whole null" + servers[1]);
                    plan.check();
                }
            }
        }
    }

    @Test
    void theNamesOfAFileStayTogether() throws IOException {
        try (Plans plans = new Plans()) {
            tree(plans);
            Files.createLink(plans.source().resolve("again"), plans.source().resolve("d1/f1"));
            calls.layout("again", LustreBytes.striped(MIB, 1));
            Plan plan = plan(plans, request(plans, 2));
            Plans.entries(plan).forEach((batch, entries) -> {
                List<String> names = entries.stream().map(entry -> entry.path().toString()).toList();
                assertThat(names.contains("again")).isEqualTo(names.contains("d1/f1"));
                if (names.contains("again")) {
                    assertThat(plan.servers(batch)).containsExactly("OST0001");
                }
            });
        }
    }

    @Test
    void aLayoutThatCannotBeReadIsNoFailureButANotice() throws IOException {
        try (Plans plans = new Plans()) {
            tree(plans);
            calls.layout("f3", ByteString.of("nonsense"));
            List<Event> events = new ArrayList<>();
            Planner.of(calls, request(plans, 2).withWalk(request(plans, 2).walk().withThreads(1)))
                    .plan(plans.plan(), events::add, new Progress(), new Cancellation());
            assertThat(events).singleElement()
                    .extracting(Object::toString)
                    .asString()
                    .contains("did not say where the data of 1 file are");
            assertThat(Plans.entries(plans.open()).values().stream().mapToInt(List::size).sum()).isEqualTo(48);
        }
    }
}
