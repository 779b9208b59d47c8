// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;

/**
 * The directory of one number of entries.
 *
 * @param directory contains everything
 * @param tree the source
 * @param isReal whether source and copy are on the disk; otherwise the source is generated, and the copy discarded
 * @param batchFiles the most files of a batch, 0 for no limit
 */
record GrowthPlace(Path directory, GeneratedTree tree, boolean isReal, long batchFiles) {

    /** Returns the directory of source and copy. */
    Path top() {
        return directory.resolve("top");
    }

    Path source() {
        return top().resolve(GeneratedCalls.SOURCE);
    }

    Path copy() {
        return top().resolve(GeneratedCalls.COPY);
    }

    /** Returns the state directory of transfers. */
    Path state() {
        return directory.resolve("state");
    }

    /** Returns the directory of the index. */
    Path space() {
        return directory.resolve("space");
    }

    /**
     * Returns the calls for a process that works here.
     *
     * @param isCopied whether the copy is complete
     */
    FileSystemCalls calls(boolean isCopied) {
        return isReal ? Linux.calls() : new GeneratedCalls(Linux.calls(), top(), tree, isCopied);
    }

    /** Returns the calls for a process that goes on with a copy that has begun. */
    FileSystemCalls callsOfBegun() {
        return isReal ? Linux.calls() : new GeneratedCalls(Linux.calls(), top(), tree, false).begun();
    }

    /** Makes the directory, and the source if it is real. */
    void make() throws IOException {
        Files.createDirectories(top());
        if (!isReal) {
            return;
        }
        Files.createDirectory(source());
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source())) {
            for (long node = 1; node <= tree.entries(); node++) {
                ByteString path = ByteString.of(tree.path(node));
                if (tree.kind(node) == EntryKind.DIRECTORY) {
                    writer.directory(path);
                } else {
                    byte[] data = new byte[(int) tree.size(node)];
                    Arrays.fill(data, tree.data(node));
                    writer.file(path, data);
                }
            }
        }
    }

    /** Returns the bytes of the files in a directory, 0 if it does not exist. */
    static long bytes(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return 0;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
        }
    }
}
