// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.SortedMap;

import org.treehaul.core.task.EntryTask;
import org.treehaul.core.task.EntryTaskProvider;
import org.treehaul.core.task.Segment;

/**
 * A task for {@code treehaul run}: counts the lines of files, or of the segments of large files. The jar has this class
 * and the file META-INF/services/org.treehaul.core.task.EntryTaskProvider with the line CountLines.
 *
 * <pre>
 * treehaul run --jar lines.jar --task count-lines --segments 256M /data
 * </pre>
 */
public final class CountLines implements EntryTaskProvider {

    private static final int PIECE = 1 << 20;

    @Override
    public String name() {
        return "count-lines";
    }

    @Override
    public int version() {
        return 1;
    }

    @Override
    public EntryTask create(SortedMap<String, String> parameters) {
        String end = parameters.getOrDefault("end", "newline");
        if (!end.equals("newline") && !end.equals("nul")) {
            throw new IllegalArgumentException("end must be newline or nul, not '" + end + "'");
        }
        byte last = (byte) (end.equals("nul") ? 0 : '\n');
        return input -> {
            long lines = count(input, last);
            input.out().write((lines + "\n").getBytes(StandardCharsets.US_ASCII));
        };
    }

    // A line belongs to the segment that has its end.
    private static long count(EntryTask.Input input, byte last) throws IOException {
        long lines = 0;
        try (FileChannel file = FileChannel.open(input.path().toPath())) {
            Segment segment = input.segment().orElse(Segment.whole(file.size()));
            ByteBuffer buffer = ByteBuffer.allocate(PIECE);
            for (long done = 0; done < segment.length();) {
                buffer.clear().limit((int) Math.min(PIECE, segment.length() - done));
                int read = file.read(buffer, segment.offset() + done);
                if (read < 0) {
                    throw new IOException("the file ends at byte " + (segment.offset() + done));
                }
                for (int i = 0; i < read; i++) {
                    lines += buffer.get(i) == last ? 1 : 0;
                }
                done += read;
            }
        }
        return lines;
    }
}
