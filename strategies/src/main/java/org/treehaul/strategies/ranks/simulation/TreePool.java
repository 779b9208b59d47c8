// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The work of a simulated rank in a generated tree. What a directory holds follows from its seed and from the number of
 * entries below it, so it is the same whoever lists it.
 *
 * <p>
 * A unit is a directory with what stands in it, in parts of a certain size, so that the number of units does not grow
 * with that of the entries; or else a single entry, as in the paper, where files wait in the queue one by one.
 */
final class TreePool implements SimulatedPool {

    // Far away, opening, asking for the status and reading each go to the server once.
    private static final int CALLS_OF_LISTING = 3;

    /** What the pools of all ranks share. */
    static final class Tree {
        private final TreeShape.Drawer files;
        private final TreeShape.Drawer subdirectories;
        private final ServiceTimes.Sampler status;
        private final ServiceTimes.Sampler listing;
        private final Simulation.Parameters parameters;
        private final double meanEntries;
        private int working;

        Tree(TreeShape shape, Simulation.Parameters parameters) {
            this.parameters = parameters;
            files = new TreeShape.Drawer(shape.files(), 0);
            subdirectories = new TreeShape.Drawer(shape.subdirectories(), 1);
            meanEntries = Math.max(1, files.mean() + 1);
            double nanos = parameters.statusNanos();
            double slower = nanos == 0 ? 1 : nanos / shape.status().mean();
            double listingSlower = nanos == 0 ? 1 : CALLS_OF_LISTING * nanos / shape.listing().mean();
            status = new ServiceTimes.Sampler(shape.status().times(slower));
            listing = new ServiceTimes.Sampler(shape.listing().times(listingSlower));
        }

        // The entries of a directory, of so many below it, that are no directories: all, where the rest would not make one
        // more directory of this shape, or no directory of it has another in it.
        private long filesOf(long entries, Chance chance) {
            if (subdirectories.mean() == 0) {
                return entries;
            }
            long drawn = Math.min(files.draw(chance), entries);
            return entries - drawn < meanEntries / 2 ? entries : drawn;
        }

        // Servers that answer no more than so many calls a second let all wait alike.
        private double crowd() {
            double rate = parameters.serverRate();
            return rate == 0 ? 1 : Math.max(1, working * 1e9 / status.mean() / rate);
        }
    }

    private static final int PIECE_BYTES = 17;
    private static final int BILL = 8;

    /** A directory and what stands below it, or entries of one directory that are no directories. */
    private static final class Piece {
        private final boolean isDirectory;
        private final long seed;
        private long entries;
        private long files;

        Piece(boolean isDirectory, long seed, long entries) {
            this.isDirectory = isDirectory;
            this.seed = seed;
            this.entries = entries;
        }
    }

    private final Tree tree;
    private final int grain;
    private final int entryBytes;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    private final @Nullable Piece[] inHand;
    private final Chance chance;
    private final Chance ofTree = new Chance(0);
    private long units;
    private long weight;
    private int large;
    private int busy;
    private long permits = Long.MAX_VALUE;
    private long done;
    private long nanosBusy;

    /**
     * Makes a pool.
     *
     * @param entries of the tree below the root directory, -1 for a pool without work
     */
    TreePool(Tree tree, int rank, int threads, long entries) {
        this.tree = tree;
        this.grain = tree.parameters.byEntry() ? 1 : tree.parameters.grain();
        this.entryBytes = tree.parameters.entryBytes();
        this.inHand = new Piece[threads];
        this.chance = new Chance(tree.parameters.settings().seed() + 31L * rank);
        if (entries >= 0) {
            push(new Piece(true, tree.parameters.settings().seed(), entries));
        }
    }

    long done() {
        return done;
    }

    long nanosBusy() {
        return nanosBusy;
    }

    private void push(Piece piece) {
        pieces.addLast(piece);
        account(piece, 1);
    }

    private void account(Piece piece, int sign) {
        units += (long) sign * unitsOf(piece);
        weight += (long) sign * (piece.isDirectory ? 1 : piece.entries);
        large += isLarge(piece) ? sign : 0;
    }

    private long unitsOf(Piece piece) {
        return piece.isDirectory ? 1 : (piece.entries + grain - 1) / grain;
    }

    private boolean isLarge(Piece piece) {
        return !piece.isDirectory && piece.entries > grain && grain > 1;
    }

    @Override
    public long begin(int thread) {
        Piece top = pieces.peekLast();
        if (top == null || permits == 0) {
            return NOTHING;
        }
        permits -= permits == Long.MAX_VALUE ? 0 : 1;
        Piece taken = split(top, 1, false);
        inHand[thread] = taken;
        busy++;
        tree.working++;
        double nanos;
        if (taken.isDirectory) {
            ofTree.reset(taken.seed);
            taken.files = tree.filesOf(taken.entries, ofTree);
            nanos = tree.listing.sum(1, chance)
                    + tree.status.sum(1 + (tree.parameters.byEntry() ? 0 : Math.min(grain, taken.files)), chance);
        } else {
            nanos = tree.status.sum(taken.entries, chance);
        }
        nanos *= tree.crowd();
        nanosBusy += (long) nanos;
        return (long) nanos;
    }

    // Takes so many units off a piece that waits at one end.
    private Piece split(Piece piece, long most, boolean oldest) {
        if (unitsOf(piece) <= most) {
            account(piece, -1);
            if (oldest) {
                pieces.removeFirst();
            } else {
                pieces.removeLast();
            }
            return piece;
        }
        account(piece, -1);
        Piece part = new Piece(false, piece.seed, most * grain);
        piece.entries -= part.entries;
        account(piece, 1);
        return part;
    }

    @Override
    public void end(int thread) {
        Piece piece = Objects.requireNonNull(inHand[thread]);
        inHand[thread] = null;
        busy--;
        tree.working--;
        if (!piece.isDirectory) {
            done += piece.entries;
            return;
        }
        long filesNow = tree.parameters.byEntry() ? 0 : Math.min(grain, piece.files);
        done += 1 + filesNow;
        pushChildren(piece, piece.files - filesNow);
    }

    private void pushChildren(Piece directory, long files) {
        ofTree.reset(directory.seed ^ 0x5DEECE66DL);
        long rest = directory.entries - directory.files;
        if (rest > 0) {
            long most = Math.min(Math.min(rest, 1 << 20), (long) Math.ceil(rest / tree.meanEntries));
            int count = (int) Math.min(most, tree.subdirectories.draw(ofTree));
            double[] shares = new double[count];
            double sum = 0;
            for (int i = 0; i < count; i++) {
                // Squared, as subtrees are of very different sizes.
                double share = -Math.log(1 - ofTree.fraction());
                shares[i] = share * share;
                sum += shares[i];
            }
            long below = rest - count;
            double upTo = 0;
            long given = 0;
            for (int i = 0; i < count; i++) {
                upTo += shares[i];
                long end = i == count - 1 ? below : Math.min(below, (long) (below * (upTo / sum)));
                push(new Piece(true, ofTree.next(), end - given));
                given = end;
            }
        }
        if (files > 0) {
            push(new Piece(false, directory.seed, files));
        }
    }

    @Override
    public long waiting() {
        return units;
    }

    @Override
    public long weight() {
        return weight;
    }

    @Override
    public boolean isBusy() {
        return busy > 0;
    }

    @Override
    public boolean isResting() {
        return busy == 0 && (units == 0 || permits == 0);
    }

    @Override
    public byte[] take(long most, int bytes) {
        List<Piece> taken = new ArrayList<>();
        takeOldest(taken, most, ((long) bytes - BILL) / entryBytes);
        return encode(taken);
    }

    private void takeOldest(List<Piece> taken, long most, long mostEntries) {
        long left = most;
        long room = mostEntries;
        while (left > 0 && room > 0) {
            Piece oldest = pieces.peekFirst();
            long fits = oldest == null || oldest.isDirectory ? 1 : room / grain;
            if (oldest == null || fits == 0) {
                return;
            }
            Piece part = split(oldest, Math.min(left, fits), true);
            left -= unitsOf(part);
            room -= part.isDirectory ? 1 : part.entries;
            taken.add(part);
        }
    }

    @Override
    public byte[] takeLargest(long most, long mostWeight, int bytes) {
        List<Piece> taken = new ArrayList<>();
        long room = ((long) bytes - BILL) / entryBytes;
        long left = most;
        if (large > 0) {
            long heavy = mostWeight;
            List<Piece> candidates = new ArrayList<>();
            for (Piece piece : pieces) {
                if (isLarge(piece)) {
                    candidates.add(piece);
                }
            }
            candidates.sort(Comparator.comparingLong((Piece p) -> p.entries).reversed());
            for (Piece candidate : candidates) {
                long n = Math.min(Math.min(candidate.entries, room), Math.max(grain, heavy));
                if (left <= 0 || heavy <= 0 || n <= 0) {
                    break;
                }
                account(candidate, -1);
                candidate.entries -= n;
                if (candidate.entries == 0) {
                    pieces.remove(candidate);
                } else {
                    account(candidate, 1);
                }
                Piece part = new Piece(false, candidate.seed, n);
                taken.add(part);
                left -= unitsOf(part);
                heavy -= n;
                room -= n;
            }
        }
        takeOldest(taken, left, room);
        return encode(taken);
    }

    private byte[] encode(List<Piece> taken) {
        if (taken.isEmpty()) {
            return new byte[0];
        }
        ByteBuffer buffer = ByteBuffer.allocate(BILL + taken.size() * PIECE_BYTES);
        buffer.putLong(0);
        long stands = 0;
        for (Piece piece : taken) {
            buffer.put((byte) (piece.isDirectory ? 1 : 0)).putLong(piece.seed).putLong(piece.entries);
            stands += piece.isDirectory ? 1 : piece.entries;
        }
        return buffer.putLong(0, stands * entryBytes).array();
    }

    @Override
    public long add(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        buffer.getLong();
        long added = 0;
        while (buffer.hasRemaining()) {
            Piece piece = new Piece(buffer.get() != 0, buffer.getLong(), buffer.getLong());
            push(piece);
            added += unitsOf(piece);
        }
        return added;
    }

    @Override
    public long bytes(byte[] message) {
        if (message.length <= MESSAGE_HEADER) {
            return message.length;
        }
        return MESSAGE_HEADER + ByteBuffer.wrap(message).getLong(MESSAGE_HEADER);
    }

    @Override
    public void permit(long more) {
        permits += more;
    }

    @Override
    public void restrict() {
        permits = 0;
    }

    @Override
    public void wanted() {
        // Large directories are divided anyway.
    }
}
