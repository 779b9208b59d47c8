// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

import org.treehaul.core.fs.PrivateFiles;

/** Manifests that are written concurrently; only those last written to are kept open. */
final class ManifestPool implements AutoCloseable {

    // A batch consists of a few runs of neighbouring entries, so the next write usually goes to an open manifest.
    private static final int OPEN = 64;

    private final PlanWriter plan;
    private final LinkedHashMap<Integer, FileChannel> open = new LinkedHashMap<>(16, 0.75f, true);

    ManifestPool(PlanWriter plan) {
        this.plan = plan;
    }

    /** Returns a stream to the temporary manifest of a batch; closing the stream syncs the file. */
    OutputStream stream(int batch) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[]{(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                FileChannel channel = channel(batch);
                ByteBuffer buffer = ByteBuffer.wrap(bytes, from, length);
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            }

            @Override
            public void close() throws IOException {
                try (FileChannel channel = channel(batch)) {
                    channel.force(false);
                }
                open.remove(batch);
            }
        };
    }

    private FileChannel channel(int batch) throws IOException {
        FileChannel channel = open.get(batch);
        if (channel != null) {
            return channel;
        }
        if (open.size() >= OPEN) {
            Map.Entry<Integer, FileChannel> oldest = open.pollFirstEntry();
            oldest.getValue().close();
        }
        channel = PrivateFiles.open(plan.temporary(batch), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        open.put(batch, channel);
        return channel;
    }

    @Override
    public void close() {
        for (FileChannel channel : open.values()) {
            try {
                channel.close();
            } catch (IOException e) {
                // Manifests that were completed are already closed.
            }
        }
        open.clear();
    }
}
