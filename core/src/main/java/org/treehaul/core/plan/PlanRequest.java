// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.spool.Chunks;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The input of planning.
 *
 * @param id the transfer: letters, digits, dots, hyphens
 * @param pairs the sources and their targets; paths may be relative to the working directory
 * @param walk options for walking the sources; the status of entries is always read
 * @param hasLinkGroups whether the names of a file are kept together
 * @param chunkBytes the size above which files are copied in chunks, and the size of a chunk; 0 for no chunks,
 *        {@link #BY_LAYOUT} for chunks that the layout decides
 * @param batching the strategy
 * @param limits the limits given to the strategy
 * @param jobs the number of jobs that will share the work
 * @param withToken whether a token is written into the destinations
 * @param settings settings of the transfer, in terms of the code that carries it out
 * @param unplaced sources that cannot be planned
 * @param withIdentities whether the plan records the identity of each entry, so that a worker can recognise it
 * @param directories the directories that the plan lists
 * @param asksServers whether the servers that store the data are asked for, and batches are divided by them
 */
public record PlanRequest(String id, List<Pair> pairs, WalkOptions walk, boolean hasLinkGroups, long chunkBytes,
        Batching batching, BatchLimits limits, int jobs, boolean withToken, SortedMap<String, String> settings,
        List<Unplaced> unplaced, boolean withIdentities, Directories directories, boolean asksServers) {

    /** Default size above which files are copied in chunks: a few seconds of work for one job. */
    public static final long CHUNK_BYTES = 1L << 30;

    /**
     * The size of a chunk if files are divided where their data change the servers, as far as the file system says so.
     */
    public static final long BY_LAYOUT = Chunks.BY_LAYOUT;

    /** Default number of batches for each job, large enough that the last batches to end leave no long tail. */
    public static final int BATCHES_PER_JOB = 8;

    /** The directories that a plan lists, if the walk has conditions; without conditions it lists all. */
    public enum Directories {
        /** All, because entries in them need their places at the target. */
        ALL,
        /** Those that meet the conditions. */
        MATCHING,
        /** Those that meet the conditions, with modes and owners, which a change compares before it begins. */
        COMPARED,
        /** Those that meet the conditions, if everything in them does so too: nothing is left in them. */
        EMPTIED
    }

    /**
     * A source and its target.
     *
     * @param source the root to walk
     * @param target the path of the copy itself; empty if the operation has no target
     */
    public record Pair(Root source, ByteString target) {

        /** Returns a source without a target, for an operation that writes nowhere else. */
        public static Pair ofSource(Root source) {
            return new Pair(source, ByteString.empty());
        }

        boolean hasTarget() {
            return target.length() > 0;
        }
    }

    /**
     * A source whose status could not be read. It counts as failed in the transfer, which may retry it.
     *
     * @param source the root that contains it or equals it
     * @param target the target of that root
     * @param path its path below the root
     * @param failure the error
     */
    public record Unplaced(ByteString source, ByteString target, TreePath path, EntryFailure failure) {}

    /**
     * Creates a request.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public PlanRequest {
        pairs = List.copyOf(pairs);
        unplaced = List.copyOf(unplaced);
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        if (chunkBytes != 0 && chunkBytes < 1 << 20) {
            throw new IllegalArgumentException("--chunk-size must be 1 MiB or more, not " + chunkBytes + " bytes");
        }
        if (jobs < 1) {
            throw new IllegalArgumentException("jobs must be 1 or more: " + jobs);
        }
    }

    /** Returns a request with the defaults: one job, link groups, chunks of 1 GiB, a token. */
    public static PlanRequest of(String id, List<Pair> pairs, Batching batching) {
        return new PlanRequest(id, pairs, WalkOptions.defaults(), true, CHUNK_BYTES, batching,
                BatchLimits.batches(BATCHES_PER_JOB), 1, true, new TreeMap<>(), List.of(), false, Directories.ALL,
                false);
    }

    /** Returns whether the conditions of the walk select directories too. */
    boolean selects() {
        return directories != Directories.ALL && !walk.where().isAll();
    }

    /** Returns a copy with other walk options. */
    public PlanRequest withWalk(WalkOptions options) {
        return new PlanRequest(id, pairs, options, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken,
                settings, unplaced, withIdentities, directories, asksServers);
    }

    /** Returns a copy that keeps, or does not keep, the names of a file together. */
    public PlanRequest withLinkGroups(boolean keep) {
        return new PlanRequest(id, pairs, walk, keep, chunkBytes, batching, limits, jobs, withToken, settings, unplaced,
                withIdentities, directories, asksServers);
    }

    /** Returns a copy with another chunk size, 0 for no chunks. */
    public PlanRequest withChunkBytes(long bytes) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, bytes, batching, limits, jobs, withToken, settings,
                unplaced, withIdentities, directories, asksServers);
    }

    /** Returns a copy with another number of jobs and other limits. */
    public PlanRequest withLimits(int forJobs, BatchLimits other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, other, forJobs, withToken,
                settings, unplaced, withIdentities, directories, asksServers);
    }

    /** Returns a copy that writes, or does not write, a token. */
    public PlanRequest withToken(boolean write) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, write, settings,
                unplaced, withIdentities, directories, asksServers);
    }

    /** Returns a copy with other settings. */
    public PlanRequest withSettings(Map<String, String> other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken,
                new TreeMap<>(other), unplaced, withIdentities, directories, asksServers);
    }

    /** Returns a copy whose plan records, or does not record, the identity of each entry. */
    public PlanRequest withIdentities(boolean record) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken, settings,
                unplaced, record, directories, asksServers);
    }

    /** Returns a copy whose plan lists other directories. */
    public PlanRequest withDirectories(Directories listed) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken, settings,
                unplaced, withIdentities, listed, asksServers);
    }

    /** Returns a copy that asks, or does not ask, which servers store the data. */
    public PlanRequest withServers(boolean ask) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken, settings,
                unplaced, withIdentities, directories, ask);
    }

    /** Returns a copy with other sources that cannot be planned. */
    public PlanRequest withUnplaced(List<Unplaced> other) {
        return new PlanRequest(id, pairs, walk, hasLinkGroups, chunkBytes, batching, limits, jobs, withToken, settings,
                other, withIdentities, directories, asksServers);
    }
}
