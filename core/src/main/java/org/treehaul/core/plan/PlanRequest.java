// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.WalkOptions;

/**
 * What is to be planned, and how.
 *
 * @param id the transfer: letters, digits, dots, hyphens
 * @param pairs what is copied where; paths may be relative to the working directory
 * @param walk how the sources are walked; status is read in any case
 * @param hasLinkGroups whether names of one file are kept together
 * @param chunkBytes the size above which files are cut, and of a chunk; 0 where none is
 * @param batching the strategy
 * @param limits what the strategy is asked for
 * @param jobs how many jobs are to work on it
 * @param withToken whether a token is written into the destinations
 * @param settings how the transfer goes, in words of those who carry it out
 * @param unplaced sources of which nothing can be planned
 */
public record PlanRequest(String id, List<Pair> pairs, WalkOptions walk, boolean hasLinkGroups, long chunkBytes,
        Batching batching, BatchLimits limits, int jobs, boolean withToken, SortedMap<String, String> settings,
        List<Unplaced> unplaced) {

    /** Size above which files are cut where nobody says otherwise: some seconds of work for one job. */
    public static final long CHUNK_BYTES = 1L << 30;

    /** Batches for each job where nobody says otherwise: so many that the last ones to end leave no long tail. */
    public static final int BATCHES_PER_JOB = 8;

    /**
     * A source and where its copy goes.
     *
     * @param source what is walked
     * @param target the path of the copy itself
     */
    public record Pair(Root source, ByteString target) {}

    /**
     * A source that could not even be looked at. It counts as failed in the transfer, which may try it again.
     *
     * @param source the root that it is in, or is
     * @param target where the copy of that would go
     * @param path where it stands below the root
     * @param failure what went wrong
     */
    public record Unplaced(ByteString source, ByteString target, TreePath path, EntryFailure failure) {}

    /**
     * Makes a request.
     *
     * @throws IllegalArgumentException when a number is out of its range
     */
    public PlanRequest {
        pairs = List.copyOf(pairs);
        unplaced = List.copyOf(unplaced);
        settings = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        if (chunkBytes != 0 && chunkBytes < 1 << 20) {
            throw new IllegalArgumentException("chunks below 1 MiB: " + chunkBytes);
        }
        if (jobs < 1) {
            throw new IllegalArgumentException("fewer than 1 job: " + jobs);
        }
    }

    /** Returns a request with the defaults: one job, link groups, chunks of 1 GiB, a token. */
    public static PlanRequest of(String id, List<Pair> pairs, Batching batching) {
        return new PlanRequest(id, pairs, WalkOptions.defaults(), true, CHUNK_BYTES, batching,
                BatchLimits.batches(BATCHES_PER_JOB), 1, true, new TreeMap<>(), List.of());
    }

    /** Returns a copy that walks in another way. */
    public PlanRequest withWalk(WalkOptions options) {
        return new PlanRequest(id, pairs, options, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken,
                settings, unplaced);
    }

    /** Returns a copy that keeps, or does not keep, the names of a file together. */
    public PlanRequest withLinkGroups(boolean keep) {
        return new PlanRequest(id, pairs, walk, keep, chunkBytes, batching, limits, jobs, withToken, settings,
                unplaced);
    }

    /** Returns a copy with other chunks, 0 for none. */
    public PlanRequest withChunkBytes(long bytes) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, bytes, batching, limits, jobs, withToken, settings,
                unplaced);
    }

    /** Returns a copy with a number of jobs and limits. */
    public PlanRequest withLimits(int forJobs, BatchLimits other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, other, forJobs, withToken,
                settings, unplaced);
    }

    /** Returns a copy that writes, or does not write, a token. */
    public PlanRequest withToken(boolean write) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, write, settings,
                unplaced);
    }

    /** Returns a copy with settings. */
    public PlanRequest withSettings(Map<String, String> other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken,
                new TreeMap<>(other), unplaced);
    }

    /** Returns a copy with sources of which nothing can be planned. */
    public PlanRequest withUnplaced(List<Unplaced> other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken, settings,
                other);
    }
}
