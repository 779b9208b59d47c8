// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Collections;
import org.treehaul.strategies.collective.CollectiveException;
import org.treehaul.strategies.collective.CollectiveFile;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Transport;

/**
 * Reads a matrix of bytes, which a file has row by row, as columns: each of four ranks gets a quarter of every row. One
 * rank reads the file, in large requests, and sends the others what they want.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar ReadColumns.java FILE ROWS COLUMNS
 * </pre>
 */
public final class ReadColumns {

    private static final int RANKS = 4;

    public static void main(String[] args) throws IOException {
        long rows = Long.parseLong(args[1]);
        long columns = Long.parseLong(args[2]);
        try (FileChannel channel = FileChannel.open(Path.of(args[0]))) {
            CollectiveFile file = CollectiveFile.of(channel);
            // Threads of this process as ranks; ranks in other processes get a communicator from another transport.
            Transport.threads().run(Collections.nCopies(RANKS, 0), communicator -> sum(communicator, file, rows, columns));
        } catch (UncheckedIOException e) {
            System.out.println(e.getCause().getMessage());
            System.exit(1);
        }
    }

    private static void sum(Communicator communicator, CollectiveFile file, long rows, long columns) {
        int rank = communicator.rank();
        long first = columns * rank / RANKS;
        long width = columns * (rank + 1) / RANKS - first;
        FileView view = FileView.subarray(0, 1, new long[]{rows, columns}, new long[]{rows, width},
                new long[]{0, first});
        ByteBuffer part = ByteBuffer.allocate((int) view.bytes());
        try (CollectiveRanks ranks = new CollectiveRanks(communicator, CollectiveSettings.defaults())) {
            ranks.read(file, view, part);
        } catch (CollectiveException e) {
            throw new UncheckedIOException(e);
        }
        long sum = 0;
        for (byte value : part.array()) {
            sum += value;
        }
        synchronized (System.out) {
            System.out.println("columns " + first + " to " + (first + width - 1) + ": sum " + sum);
        }
    }
}
