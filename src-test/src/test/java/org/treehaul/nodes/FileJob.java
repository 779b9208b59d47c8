// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.Stage;

/**
 * A file that one client writes, and then reads, by requests of one size.
 *
 * @param target {@link #STAGE}, {@link #BUFFERED}, or the directory of a file system
 * @param servers the number of servers of a file of a stage
 * @param isList whether a request has 64 KiB at each of several offsets, in no order; else requests follow each other
 * @param request bytes of a request
 * @param bytes bytes of the file, a multiple of those of a request
 */
public record FileJob(String target, int servers, boolean isList, int request, long bytes) {

    /** A file of a stage: each request is sent as it comes. */
    public static final String STAGE = "stage";
    /** A file of a stage with buffers at the client. */
    public static final String BUFFERED = "buffered";

    private static final int PIECE = 64 << 10;

    /** Checks the sizes. */
    public FileJob {
        if (request < Long.BYTES || bytes % request != 0 || isList && request % PIECE != 0) {
            throw new IllegalArgumentException(bytes + " bytes in requests of " + request);
        }
    }

    static FileJob parse(String text) {
        String[] words = text.split(",", -1);
        return new FileJob(words[0], Integer.parseInt(words[1]), Boolean.parseBoolean(words[2]),
                Integer.parseInt(words[3]), Long.parseLong(words[4]));
    }

    String text() {
        return String.join(",", target, String.valueOf(servers), String.valueOf(isList), String.valueOf(request),
                String.valueOf(bytes));
    }

    /**
     * Writes or reads the file.
     *
     * @param isDurable whether it is written to the disks
     * @return the nanoseconds from before it is opened until it is closed
     * @throws OtherBytesException if it does not have the bytes that were written
     */
    long run(Stage stage, boolean isWrite, boolean isDurable) throws IOException {
        List<List<SegmentRange>> requests = requests();
        ByteBuffer buffer = ByteBuffer.allocateDirect(request);
        long begun = System.nanoTime();
        try (OpenFile file = open(stage, isWrite)) {
            for (List<SegmentRange> ranges : requests) {
                buffer.clear();
                if (isWrite) {
                    buffer.putLong(0, ranges.getFirst().offset());
                }
                file.transfer(ranges, buffer, isWrite);
                if (!isWrite && buffer.getLong(0) != ranges.getFirst().offset()) {
                    throw new OtherBytesException(this + ": other bytes at " + ranges.getFirst().offset());
                }
            }
            if (isWrite && isDurable) {
                file.sync();
            }
        }
        return System.nanoTime() - begun;
    }

    /** Returns whether it is a file of a stage. */
    boolean isOfStage() {
        return !target.startsWith("/");
    }

    private OpenFile open(Stage stage, boolean isWrite) throws IOException {
        return isOfStage()
                ? OpenFile.of(stage, "file", servers, target.equals(BUFFERED), isWrite)
                : OpenFile.in(Path.of(target).resolve("file"), isWrite);
    }

    private List<List<SegmentRange>> requests() {
        int piece = isList ? PIECE : request;
        List<SegmentRange> pieces = new ArrayList<>();
        for (long offset = 0; offset < bytes; offset += piece) {
            pieces.add(new SegmentRange(offset, piece));
        }
        if (isList) {
            Collections.shuffle(pieces, new Random(1));
        }
        List<List<SegmentRange>> all = new ArrayList<>();
        int each = request / piece;
        for (int i = 0; i < pieces.size(); i += each) {
            all.add(pieces.subList(i, i + each));
        }
        return all;
    }
}
