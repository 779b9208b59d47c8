// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.Transport;

class ThreadCollectiveTest extends CollectiveContract {

    @TempDir
    Path directory;

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        Transport.threads().run(hosts(ranks), body);
    }

    @Test
    void aFileOfAFileSystemIsReadAndWritten() throws IOException {
        Path path = Files.writeString(directory.resolve("file"), "0123456789");
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            useAsAFile(CollectiveFile.of(channel));
        }
        assertThat(path).hasContent("01xy4567xy");
    }

    @Test
    void anAsynchronousFileIsReadAndWritten() throws IOException {
        Path path = Files.writeString(directory.resolve("file"), "0123456789");
        try (AsyncFiles files = AsyncFiles.open()) {
            AsyncFile file = files.openSync(ByteString.of(path.toString()), OpenMode.update());
            useAsAFile(CollectiveFile.of(file));
            file.closeSync();
        }
        assertThat(path).hasContent("01xy4567xy");
    }

    private void useAsAFile(CollectiveFile file) {
        run(2, c -> {
            try (CollectiveRanks ranks = new CollectiveRanks(c, CollectiveSettings.defaults())) {
                ByteBuffer read = ByteBuffer.allocate(5);
                ranks.read(file, FileView.vector(c.rank(), 5, 1, 2), read);
                assertThat(new String(read.array(), StandardCharsets.US_ASCII))
                        .isEqualTo(c.rank() == 0 ? "02468" : "13579");
                byte[] data = {(byte) (c.rank() == 0 ? 'x' : 'y')};
                for (int offset : new int[]{2, 8}) {
                    ranks.write(file, FileView.contiguous(offset + c.rank(), 1), ByteBuffer.wrap(data));
                }
                assertThatThrownBy(() -> ranks.read(file, FileView.contiguous(9, 3), ByteBuffer.allocate(3)))
                        .hasMessageContaining("the file ends at byte 10, 2 bytes too early");
                assertThatThrownBy(() -> ranks.read(file, FileView.contiguous(0, 3), ByteBuffer.allocate(2)))
                        .hasMessage("a view of 3 bytes, and a buffer of 2");
            } catch (CollectiveException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
