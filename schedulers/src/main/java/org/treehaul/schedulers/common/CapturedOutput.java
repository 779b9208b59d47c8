// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.spool.ScratchDirectory;

/**
 * The output of a program in a file without a name, which leaves nothing behind if this process is killed. It is not a
 * pipe, because a child that the program leaves behind would keep a pipe open.
 */
final class CapturedOutput implements Closeable {

    private final Path file;
    private final FileChannel channel;

    private CapturedOutput(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Creates an empty file, which has a name until the program has opened it. */
    static CapturedOutput make() throws IOException {
        Path file;
        try {
            file = PrivateFiles.makeTemporaryFile(ScratchDirectory.parent(), "treehaul", ".out");
        } catch (IOException e) {
            throw ScratchDirectory.explain(e);
        }
        try {
            return new CapturedOutput(file, FileChannel.open(file, StandardOpenOption.READ));
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** Returns the file for the program to open. */
    File file() {
        return file.toFile();
    }

    /** Removes the name; to be called when the program has opened the file. */
    void unname() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Returns what the program has written so far. */
    String text() throws IOException {
        channel.position(0);
        return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            unname();
        }
    }
}
