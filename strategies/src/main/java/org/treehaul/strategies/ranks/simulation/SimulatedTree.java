// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.Optional;

import org.treehaul.core.walk.listing.UnitSizes;

/**
 * The tree of a simulated walk, and the duration of calls on it, for the pools of all ranks. The content of a directory
 * was recorded, or follows from its number and the number of entries below it: so it is the same for every rank that
 * lists it.
 */
final class SimulatedTree {

    // On a remote file system, opening, querying the status and reading each cost one round trip to the server.
    private static final int CALLS_OF_LISTING = 3;
    private static final long CHILDREN = 0x5DEECE66DL;

    /**
     * The content of a directory.
     *
     * @param files the number of entries that are not directories
     * @param ids the numbers of its subdirectories
     * @param below the number of entries below each of these
     * @param record the bytes of an entry in a listing
     * @param name the length of the name of a subdirectory
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Content(long files, long[] ids, long[] below, int record, int name) {
        long entries() {
            return files + ids.length;
        }
    }

    private final Simulation.Parameters parameters;
    private final TreeShape shape;
    private final TreeShape.Drawer files;
    private final TreeShape.Drawer subdirectories;
    private final ServiceTimes.Sampler status;
    private final ServiceTimes.Sampler listing;
    private final double meanEntries;
    private final Optional<RecordedTree> recorded;
    private final Chance ofTree = new Chance(0);
    private int working;
    private double nanosListing;

    SimulatedTree(TreeShape shape, Simulation.Parameters parameters) {
        this.shape = shape;
        this.parameters = parameters;
        files = new TreeShape.Drawer(shape.files(), 0);
        subdirectories = new TreeShape.Drawer(shape.subdirectories(), 1);
        meanEntries = Math.max(1, files.mean() + 1);
        double nanos = parameters.statusNanos();
        double slower = nanos == 0 ? 1 : nanos / shape.status().mean();
        double listingSlower = nanos == 0 ? 1 : CALLS_OF_LISTING * nanos / shape.listing().mean();
        status = new ServiceTimes.Sampler(shape.status().times(slower));
        listing = new ServiceTimes.Sampler(shape.listing().times(listingSlower));
        recorded = shape.tree().filter(tree -> tree.entries() == parameters.entries());
    }

    Simulation.Parameters parameters() {
        return parameters;
    }

    /** Returns the number of the root. */
    long root() {
        return recorded.isPresent() ? 0 : parameters.settings().seed();
    }

    /** Returns the time to list this many directories and to query the status of this many entries. */
    long nanos(int directories, long entries, Chance chance) {
        double listings = listing.sum(directories, chance);
        double all = listings + status.sum(entries, chance);
        double slowdown = slowdown();
        nanosListing += listings * slowdown;
        return (long) (all * slowdown);
    }

    /**
     * Returns the time that all ranks have spent listing directories so far, without querying the status of entries.
     */
    double nanosListing() {
        return nanosListing;
    }

    // A server with a limited rate of calls delays all callers equally.
    private double slowdown() {
        double rate = parameters.serverRate();
        return rate == 0 ? 1 : Math.max(1, working * 1e9 / status.mean() / rate);
    }

    void begun() {
        working++;
    }

    void ended() {
        working--;
    }

    /** Returns the content of a directory with this many entries below it. */
    Content content(long id, long below) {
        if (recorded.isPresent()) {
            return content(recorded.get(), Math.toIntExact(id));
        }
        ofTree.reset(id);
        long filesHere = filesOf(below, ofTree);
        ofTree.reset(id ^ CHILDREN);
        long rest = below - filesHere;
        long[] ids = new long[rest == 0 ? 0 : count(rest)];
        long[] belowEach = new long[ids.length];
        double[] shares = new double[ids.length];
        double sum = 0;
        for (int i = 0; i < ids.length; i++) {
            // Squared, because subtrees differ a lot in size.
            double share = -Math.log(1 - ofTree.fraction());
            shares[i] = share * share;
            sum += shares[i];
        }
        double upTo = 0;
        long given = 0;
        for (int i = 0; i < ids.length; i++) {
            upTo += shares[i];
            long all = rest - ids.length;
            long end = i == ids.length - 1 ? all : Math.min(all, (long) (all * (upTo / sum)));
            ids[i] = ofTree.next();
            belowEach[i] = end - given;
            given = end;
        }
        return new Content(filesHere, ids, belowEach, UnitSizes.record(shape.fileName()), shape.directoryName());
    }

    private int count(long rest) {
        long most = Math.min(Math.min(rest, 1 << 20), (long) Math.ceil(rest / meanEntries));
        return (int) Math.min(most, subdirectories.draw(ofTree));
    }

    // Returns how many entries of a directory, with this many below it, are no directories: all of them if the rest
    // would not make another directory of this shape, or if the shape has no directory with subdirectories.
    private long filesOf(long entries, Chance chance) {
        if (subdirectories.mean() == 0) {
            return entries;
        }
        long drawn = Math.min(files.draw(chance), entries);
        return entries - drawn < meanEntries / 2 ? entries : drawn;
    }

    private static Content content(RecordedTree tree, int directory) {
        long[] ids = tree.children(directory).asLongStream().toArray();
        long names = tree.children(directory).mapToLong(tree::name).sum();
        return new Content(tree.files(directory), ids, new long[ids.length], Math.max(1, tree.record(directory)),
                ids.length == 0 ? 0 : (int) Math.round((double) names / ids.length));
    }
}
