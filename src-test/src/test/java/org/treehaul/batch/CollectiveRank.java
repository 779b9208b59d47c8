// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.mpj.MpjHome;
import org.treehaul.schedulers.mpj.MpjTransports;
import org.treehaul.schedulers.mpj.RankPlace;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.collective.CollectiveParallelFile;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.strategies.collective.CollectiveException;
import org.treehaul.strategies.collective.CollectiveFile;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * The program of {@link CollectiveProcessesTest}: one of four ranks, each a process, which together write a matrix of
 * bytes and read it in other parts.
 */
final class CollectiveRank {

    static final int RANKS = 4;
    private static final int ROWS = 300;
    private static final int COLUMNS = 400;
    private static final int BLOCK = 50;
    private static final ByteString PATH = ByteString.of("matrix");
    private static final CollectiveSettings SETTINGS = CollectiveSettings.defaults().withBuffer(8 << 10);

    private CollectiveRank() {}

    /** Returns the matrix, row by row. */
    static byte[] matrix() {
        byte[] matrix = new byte[ROWS * COLUMNS];
        for (int i = 0; i < matrix.length; i++) {
            matrix[i] = at(i);
        }
        return matrix;
    }

    private static byte at(int offset) {
        return (byte) (offset * 31 + offset / 251);
    }

    /**
     * Takes its number, the meeting file, and a plain file, or the catalogue of a stage and the secret of its servers.
     */
    public static void main(String[] args) {
        int rank = Integer.parseInt(args[0]);
        RankPlace place = new RankPlace(rank, RANKS, "host" + rank / 2, Path.of(args[1]), 0, "1", "a matrix",
                Duration.ofMinutes(1), RankPlace.SILENCE_LIMIT);
        try {
            MpjTransports.processes(MpjHome.find(), place, reason -> {}).run(Collections.nCopies(RANKS, 0), c -> {
                try {
                    if (args.length == 3) {
                        plain(c, Path.of(args[2]));
                    } else {
                        staged(c, SpaceUri.of(Path.of(args[2])), ByteString.of(args[3]));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (RanksException e) {
            System.out.println("left with: " + e.getMessage());
        }
        // MPJ Express keeps threads after a failure.
        System.exit(0);
    }

    // Writes once, and reads until one of the ranks is killed.
    private static void plain(Communicator c, Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE); CollectiveRanks ranks = new CollectiveRanks(c, SETTINGS)) {
            CollectiveFile file = CollectiveFile.of(channel);
            write(ranks, file, c.rank());
            read(ranks, file, c.rank());
            System.out.println("read");
            while (true) {
                read(ranks, file, c.rank());
            }
        }
    }

    private static void staged(Communicator c, SpaceUri space, ByteString secret) throws IOException {
        try (SegmentClients clients = new SegmentClients(RunSecret.read(secret), false);
                Stage stage = Stage.open(Catalogue.openExisting(space, "job"), clients, 2)) {
            ParallelFile made = c.rank() == 0 ? created(c, stage) : found(c, stage);
            try (CollectiveRanks ranks = new CollectiveRanks(c, CollectiveParallelFile.aligned(SETTINGS, made))) {
                write(ranks, new CollectiveParallelFile(made), c.rank());
                // Before the ranks are, which wait for each other: then all see all data.
                made.close();
            }
            try (ParallelFile file = stage.open(PATH, false);
                    CollectiveRanks ranks = new CollectiveRanks(c, SETTINGS)) {
                read(ranks, new CollectiveParallelFile(file), c.rank());
                System.out.println("read");
            }
        }
    }

    private static ParallelFile created(Communicator c, Stage stage) throws IOException {
        ParallelFile file = stage.create(PATH, new StripeLayout(List.of("s1", "s2"), 2, 4096), 0600);
        if (!file.publish()) {
            throw new IOException("another file has the path");
        }
        for (int other = 1; other < RANKS; other++) {
            c.send(other, new byte[1]);
        }
        return file;
    }

    private static ParallelFile found(Communicator c, Stage stage) throws IOException {
        while (c.poll(Duration.ofSeconds(10)).isEmpty()) {
            // Rank 0 has not made the file.
        }
        return stage.open(PATH, true);
    }

    // Every fourth block.
    private static void write(CollectiveRanks ranks, CollectiveFile file, int rank) throws CollectiveException {
        int blocks = ROWS * COLUMNS / BLOCK / RANKS;
        ByteBuffer data = ByteBuffer.allocate(blocks * BLOCK);
        for (int block = 0; block < blocks; block++) {
            for (int i = 0; i < BLOCK; i++) {
                data.put(at((block * RANKS + rank) * BLOCK + i));
            }
        }
        ranks.write(file, FileView.vector((long) rank * BLOCK, blocks, BLOCK, (long) RANKS * BLOCK), data.flip());
    }

    // A quarter of the matrix.
    private static void read(CollectiveRanks ranks, CollectiveFile file, int rank) throws CollectiveException {
        int row = rank / 2 * (ROWS / 2);
        int column = rank % 2 * (COLUMNS / 2);
        ByteBuffer quarter = ByteBuffer.allocate(ROWS / 2 * (COLUMNS / 2));
        ranks.read(file, FileView.subarray(0, 1, new long[]{ROWS, COLUMNS}, new long[]{ROWS / 2, COLUMNS / 2},
                new long[]{row, column}), quarter);
        quarter.flip();
        for (int i = row; i < row + ROWS / 2; i++) {
            for (int j = column; j < column + COLUMNS / 2; j++) {
                if (quarter.get() != at(i * COLUMNS + j)) {
                    throw new IllegalStateException("a wrong byte in row " + i + ", column " + j);
                }
            }
        }
    }
}
