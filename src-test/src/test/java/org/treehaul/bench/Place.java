// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A directory on some file system, where data sets stand and copies go.
 *
 * @param root where the harness makes its own two directories
 * @param type the kind of file system, such as tmpfs
 * @param data where the data sets stand, to be used again
 * @param out where copies go
 * @param next numbers the copies: each gets a fresh name
 */
record Place(Path root, String type, Path data, Path out, AtomicInteger next) {

    static Place at(Path given) throws IOException {
        Path root = Files.createDirectories(given).toRealPath();
        return new Place(root, Files.getFileStore(root).type(), root.resolve("data"),
                Files.createTempDirectory(root, "out"), new AtomicInteger());
    }

    boolean isMemory() {
        return type.equals("tmpfs");
    }

    /** Returns a name at which nothing ever stood. */
    Path fresh() {
        return out.resolve("copy" + next.incrementAndGet());
    }

    /** Returns the data set, made now unless it is there from before. */
    Path tree(DataSet set, double scale, long seed) throws IOException {
        return tree(set.label() + "-" + scale, "seed " + seed + ", layout 1", set.layout(scale, seed), seed);
    }

    /**
     * Returns a tree, made now unless it is there from before.
     *
     * @param parameters what the tree depends on besides its name: one with others is replaced
     */
    Path tree(String name, String parameters, Layout layout, long seed) throws IOException {
        Path tree = data.resolve(name);
        Path marker = data.resolve(name + ".made");
        if (Files.exists(marker) && Files.readString(marker).equals(parameters)) {
            return tree;
        }
        Files.createDirectories(data);
        Files.deleteIfExists(marker);
        remove(tree);
        long bytes = layout.bytes();
        // An entry without data takes up to 1 KiB (an inode of tmpfs); a copy of all must fit as well.
        long needed = 2 * (bytes + 1024L * layout.entries() + 4096L * layout.directories());
        if (Files.getFileStore(root).getUsableSpace() < needed) {
            throw new IOException("not enough room for " + name + " and a copy of it: " + (needed >> 20) + " MiB");
        }
        new LayoutWriter(layout, seed).write(tree);
        // Written to the disk before it is measured.
        Shell.run("sync", "-f", data.toString());
        Files.writeString(marker, parameters, StandardCharsets.UTF_8);
        return tree;
    }

    /** Removes a tree, and waits until that is done on the disk, too: it would be charged to whoever is next. */
    void remove(Path tree) throws IOException {
        if (Files.exists(tree)) {
            Shell.run("rm", "-rf", "--", tree.toString());
            settle();
        }
    }

    void settle() throws IOException {
        if (!isMemory()) {
            Shell.run("sync", "-f", root.toString());
        }
    }

    /** Removes the copies, and the data sets where that was asked for. */
    void close(boolean withData) throws IOException {
        remove(out);
        if (withData) {
            remove(data);
        }
    }
}
