// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;

/** Plans for tests, in a temporary directory. */
final class Plans implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();
    private final Path source = directory.directory("source");
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());

    Path source() {
        return source;
    }

    Path target() {
        return directory.resolve("target");
    }

    Path plan() {
        return directory.resolve("plan");
    }

    TestDirectory directory() {
        return directory;
    }

    List<EntryFailure> failures() {
        return failures;
    }

    PlanRequest request(Batching batching) {
        return PlanRequest.of("20260101-000000-test",
                List.of(new PlanRequest.Pair(Root.of(path(source())), path(target()))), batching);
    }

    static ByteString path(Path path) {
        return ByteString.of(path.toString());
    }

    PlanSummary write(PlanRequest request) throws PlanException {
        return write(Linux.calls(), request, new Cancellation());
    }

    PlanSummary write(FileSystemCalls calls, PlanRequest request, Cancellation cancellation) throws PlanException {
        return Planner.of(calls, request).plan(plan(), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, new Progress(), cancellation);
    }

    Plan open() throws PlanException {
        return Plan.open(plan());
    }

    static <T> List<T> all(PlanRecords<T> records) throws PlanException {
        try (records) {
            List<T> list = new ArrayList<>();
            for (T next = records.next(); next != null; next = records.next()) {
                list.add(next);
            }
            return list;
        }
    }

    /** Returns the entries of each batch. */
    static SortedMap<Integer, List<ManifestEntry>> entries(Plan plan) throws PlanException {
        SortedMap<Integer, List<ManifestEntry>> entries = new TreeMap<>();
        for (PlannedBatch batch : plan.batches()) {
            entries.put(batch.number(), all(plan.manifest(batch.number())));
        }
        return entries;
    }

    @Override
    public void close() {
        directory.close();
    }
}
