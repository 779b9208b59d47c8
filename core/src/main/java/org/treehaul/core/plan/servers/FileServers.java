// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Holders;
import org.treehaul.core.locality.LayoutCuts;
import org.treehaul.core.locality.LayoutException;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.plan.spool.Chunks;

/** Asks for the servers of files while they are planned. Thread-safe. */
public final class FileServers {

    /**
     * The size from which files are asked about. On GlusterFS the question takes longer than to read a small file, so
     * it must not be asked for each small file; and on many file systems small files are most of the files, and few of
     * the bytes (docs/decisions/0052).
     */
    public static final long LEAST_BYTES = 1 << 20;

    // The chunks of larger files count as spread: their numbers would take too much space in the spool.
    private static final int MOST_CHUNKS = LayoutCuts.MOST_PIECES;

    private final Locality locality;
    private final long chunkBytes;
    private final ServerTable table = new ServerTable();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");

    /**
     * Creates an object for one plan.
     *
     * @param chunkBytes the size above which a file is divided into chunks, and the size of a chunk; 0 for no chunks,
     *        {@link Chunks#BY_LAYOUT} for chunks that the layout decides
     */
    public FileServers(FileSystemCalls calls, long chunkBytes) {
        this.locality = Locality.over(calls);
        this.chunkBytes = chunkBytes;
    }

    /** Returns the table of the numbers. */
    public ServerTable table() {
        return table;
    }

    /**
     * The places of a file.
     *
     * @param servers the number of the servers that store the file, or one number for each of its chunks; none if all
     *        of them are {@link ServerTable#ANY}
     * @param cuts the offsets at which the file is divided, if its layout decides that
     */
    public record Places(List<Integer> servers, List<Long> cuts) {

        /** Nothing is known about the file, and it is not divided by its layout. */
        public static final Places NONE = new Places(List.of(), List.of());
    }

    /**
     * Returns the places of a file. A file whose servers cannot be found is no failure.
     *
     * @param name the name, NUL-ended
     * @param status the status of the file; a file below {@link #LEAST_BYTES} is not asked about
     * @param isFollowed whether the name is of a symbolic link and the status that of its target
     */
    public Places of(FileAccess access, int directory, MemorySegment name, FileStatus status, boolean isFollowed) {
        if (status.kind() != EntryKind.REGULAR || status.size() < LEAST_BYTES) {
            return Places.NONE;
        }
        try {
            Optional<DataLayout> layout = locality.layout(access, directory, name, status, isFollowed);
            return layout.isEmpty() ? Places.NONE : places(layout.get(), status.size());
        } catch (LayoutException | SystemCallException e) {
            failures.incrementAndGet();
            firstFailure.compareAndSet("", String.valueOf(e.getMessage()));
            return Places.NONE;
        }
    }

    private Places places(DataLayout layout, long size) {
        List<Long> cuts = chunkBytes == Chunks.BY_LAYOUT ? LayoutCuts.of(layout, size) : List.of();
        return new Places(numbers(layout, size, Chunks.of(size, chunkBytes, cuts)), cuts);
    }

    private List<Integer> numbers(DataLayout layout, long size, Chunks chunks) {
        int whole = table.number(serversOf(layout, 0, size));
        if (whole != ServerTable.ANY || !chunks.isCut() || chunks.count() > MOST_CHUNKS) {
            return whole == ServerTable.ANY ? List.of() : List.of(whole);
        }
        List<Integer> numbers = new ArrayList<>(chunks.count());
        for (int i = 0; i < chunks.count(); i++) {
            numbers.add(table.number(serversOf(layout, chunks.range(i).from(), chunks.range(i).to())));
        }
        return numbers.stream().allMatch(number -> number == ServerTable.ANY) ? List.of() : numbers;
    }

    /**
     * Returns the servers of which each has all data of a range, or a fragment of all of them; empty if the range is
     * spread over several, or no server is known.
     */
    static List<String> serversOf(DataLayout layout, long from, long to) {
        Set<String> servers = new LinkedHashSet<>();
        for (DataExtent extent : layout.extents()) {
            boolean isInOneStripe = extent.stripeCount() == 1
                    || from / extent.stripeSize() == (to - 1) / extent.stripeSize();
            if (from >= extent.offset() && to <= extent.end() && isInOneStripe) {
                extent.holdersOf(from)
                        .map(Holders::places)
                        .ifPresent(places -> places.stream().map(DataPlace::server).forEach(servers::add));
            }
        }
        return List.copyOf(servers);
    }

    /** Returns a notice about files whose servers could not be found, with the first reason; empty if there is none. */
    public Optional<String> problem() {
        long count = failures.get();
        return count == 0
                ? Optional.empty()
                : Optional
                        .of("the file system did not say where the data of " + count + (count == 1 ? " file" : " files")
                                + " are, so these are divided among batches without it; the first reason: "
                                + firstFailure.get());
    }
}
