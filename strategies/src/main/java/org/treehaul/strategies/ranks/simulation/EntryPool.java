// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The work of a simulated rank as in the paper, where each entry is a unit. The pool stores the files of one directory
 * together, but counts and gives them one by one. If one rank alone lists directories, they wait separately in rank 0:
 * for itself, or for rank 1.
 */
final class EntryPool implements SimulatedPool {

    private static final int PIECE_BYTES = 17;
    /** Length of the field with the number of bytes that the message counts as. */
    private static final int SIMULATED_SIZE = 8;
    private static final int LISTING_WORKER = 1;
    // As in Figure 1 of the paper: 1.6 GB to the master for 6.5 million files.
    private static final int ENTRY_BYTES = 250;

    /** A directory and everything below it, or entries of one directory that are not directories. */
    private static final class Piece {
        private final boolean isDirectory;
        private final long seed;
        private long entries;

        Piece(boolean isDirectory, long seed, long entries) {
            this.isDirectory = isDirectory;
            this.seed = seed;
            this.entries = entries;
        }
    }

    private final SimulatedTree tree;
    private final int entryBytes;
    private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
    // Used by rank 0 if not every rank lists directories.
    private final ArrayDeque<Piece> unlisted = new ArrayDeque<>();
    private final boolean keepsUnlisted;
    private final boolean listsAlone;
    private final @Nullable Piece[] inProgress; // by thread
    private final Chance chance;
    private long units;
    private int busy;
    private long permits = Long.MAX_VALUE;
    private long done;
    private long nanosBusy;

    /**
     * Makes a pool.
     *
     * @param entries the entries of the tree below the root directory, -1 for a pool without work
     */
    EntryPool(SimulatedTree tree, int rank, int threads, long entries) {
        this.tree = tree;
        this.entryBytes = tree.parameters().entryBytes() > 0 ? tree.parameters().entryBytes() : ENTRY_BYTES;
        this.inProgress = new Piece[threads];
        Lister lister = tree.parameters().lister();
        this.keepsUnlisted = rank == 0 && lister != Lister.EACH;
        this.listsAlone = rank == 0 && lister == Lister.MASTER;
        this.chance = new Chance(tree.parameters().settings().seed() + 31L * rank);
        if (entries >= 0) {
            push(new Piece(true, tree.root(), entries));
        }
    }

    @Override
    public long done() {
        return done;
    }

    @Override
    public long nanosBusy() {
        return nanosBusy;
    }

    private void push(Piece piece) {
        if (piece.isDirectory && keepsUnlisted) {
            unlisted.addLast(piece);
            return;
        }
        pieces.addLast(piece);
        account(piece, 1);
    }

    private void account(Piece piece, int sign) {
        units += (long) sign * unitsOf(piece);
    }

    private long unitsOf(Piece piece) {
        return piece.isDirectory ? 1 : piece.entries;
    }

    @Override
    public long begin(int thread) {
        Piece taken = listsAlone ? unlisted.pollLast() : null;
        if (taken == null) {
            Piece top = pieces.peekLast();
            if (top == null || permits == 0) {
                return NOTHING;
            }
            permits -= permits == Long.MAX_VALUE ? 0 : 1;
            taken = split(top, 1, false);
        }
        inProgress[thread] = taken;
        busy++;
        tree.begun();
        long nanos = tree.nanos(taken.isDirectory ? 1 : 0, taken.isDirectory ? 1 : taken.entries, chance);
        nanosBusy += nanos;
        return nanos;
    }

    // Removes at most this many units from the piece at one end of the queue.
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
        Piece part = new Piece(false, piece.seed, most);
        piece.entries -= part.entries;
        account(piece, 1);
        return part;
    }

    @Override
    public void end(int thread) {
        Piece piece = Objects.requireNonNull(inProgress[thread]);
        inProgress[thread] = null;
        busy--;
        tree.ended();
        if (!piece.isDirectory) {
            done += piece.entries;
            return;
        }
        done++;
        SimulatedTree.Content content = tree.content(piece.seed, piece.entries);
        for (int i = 0; i < content.ids().length; i++) {
            push(new Piece(true, content.ids()[i], content.below()[i]));
        }
        if (content.files() > 0) {
            push(new Piece(false, piece.seed, content.files()));
        }
    }

    @Override
    public long waiting() {
        return units + (listsAlone ? 0 : unlisted.size());
    }

    @Override
    public long weight() {
        return waiting();
    }

    @Override
    public boolean isBusy() {
        return busy > 0;
    }

    @Override
    public boolean isResting() {
        return busy == 0 && (units == 0 || permits == 0) && !(listsAlone && !unlisted.isEmpty());
    }

    @Override
    public byte[] take(long most, int bytes) {
        List<Piece> taken = new ArrayList<>();
        takeOldest(taken, most, ((long) bytes - SIMULATED_SIZE) / entryBytes);
        return encode(taken);
    }

    @Override
    public byte[] takeFor(int rank, long most, int bytes) {
        if (!keepsUnlisted || listsAlone || rank != LISTING_WORKER) {
            return take(most, bytes);
        }
        Piece directory = unlisted.pollLast();
        return encode(directory == null ? List.of() : List.of(directory));
    }

    private void takeOldest(List<Piece> taken, long most, long mostEntries) {
        long left = most;
        long room = mostEntries;
        while (left > 0 && room > 0) {
            Piece oldest = pieces.peekFirst();
            long fits = oldest == null || oldest.isDirectory ? 1 : room;
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
        // The size of a directory is unknown before it is listed.
        return take(most, bytes);
    }

    private byte[] encode(List<Piece> taken) {
        if (taken.isEmpty()) {
            return new byte[0];
        }
        ByteBuffer buffer = ByteBuffer.allocate(SIMULATED_SIZE + taken.size() * PIECE_BYTES);
        buffer.putLong(0);
        long waiting = 0;
        for (Piece piece : taken) {
            buffer.put((byte) (piece.isDirectory ? 1 : 0)).putLong(piece.seed).putLong(piece.entries);
            waiting += piece.isDirectory ? 1 : piece.entries;
        }
        return buffer.putLong(0, waiting * entryBytes).array();
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
        // An entry cannot be divided.
    }
}
