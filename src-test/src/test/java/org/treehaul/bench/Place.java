// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.programs.Programs;

/** A directory on a file system for data sets and copies. Used by one thread. */
final class Place implements AutoCloseable {

    /**
     * ext4 does not reuse an inode for 60 s after its deletion (recently_deleted() of fs/ext4/ialloc.c), and until then
     * each new file must skip all of these: 10 to 20 times slower.
     */
    private static final Duration REST = Duration.ofSeconds(65);

    private final Path root;
    private final String type;
    private final Path data;
    private final Path out;
    private final boolean deletesData;
    private final List<Path> discarded = new ArrayList<>();
    private int copies;
    private long removed = System.nanoTime() - REST.toNanos();

    /**
     * Begins to work in a directory, and makes it if it is missing.
     *
     * @param deletesData whether to remove the data sets at the end
     */
    Place(Path directory, boolean deletesData) throws IOException {
        root = Files.createDirectories(directory).toRealPath();
        type = Files.getFileStore(root).type();
        data = root.resolve("data");
        out = Files.createTempDirectory(root, "out");
        this.deletesData = deletesData;
    }

    Path root() {
        return root;
    }

    /** Returns the directory for copies. */
    Path out() {
        return out;
    }

    /** Returns the kind of file system, such as tmpfs. */
    String type() {
        return type;
    }

    boolean isMemory() {
        return type.equals("tmpfs");
    }

    /** Returns a path that was never used. */
    Path fresh() {
        return out.resolve("copy" + ++copies);
    }

    /** Returns the data set; makes it if it does not exist. */
    Path tree(DataSet set, double scale, long seed) throws IOException {
        return tree(set.label() + "-" + scale, set.layout(scale, seed), seed);
    }

    /** Returns a tree; makes it unless one with this name and this many files and bytes exists. */
    Path tree(String name, Layout layout, long seed) throws IOException {
        return tree(name, layout, seed, false);
    }

    /** Returns a tree whose files are holes; makes it if it does not exist. */
    Path hollowTree(String name, Layout layout, long seed) throws IOException {
        return tree(name, layout, seed, true);
    }

    private Path tree(String name, Layout layout, long seed, boolean isHollow) throws IOException {
        Path tree = data.resolve(name);
        Path marker = data.resolve(name + ".made");
        long bytes = layout.bytes();
        String parameters = "layout 1, seed %d, %d directories, %d files, %d bytes%s".formatted(seed,
                layout.directories(), layout.files(), bytes, isHollow ? ", holes only" : "");
        if (Files.exists(marker) && Files.readString(marker).equals(parameters)) {
            return tree;
        }
        Files.createDirectories(data);
        Files.deleteIfExists(marker);
        remove(tree);
        // An entry takes up to 1 KiB besides its data (an inode of tmpfs); a copy must fit as well.
        long needed = 2 * ((isHollow ? 4096L * layout.files() : bytes) + 1024L * layout.entries()
                + 4096L * layout.directories());
        if (room() < needed) {
            throw new IOException("not enough room for " + name + " and a copy of it: " + (needed >> 20) + " MiB");
        }
        new LayoutWriter(layout, seed, isHollow).write(tree);
        settle();
        Files.writeString(marker, parameters);
        return tree;
    }

    /** Waits until writes and deletions have reached the disk: otherwise the next run would pay for them. */
    void settle() throws IOException {
        if (!isMemory()) {
            Programs.run("sync", "-f", root);
        }
    }

    /**
     * Takes a copy that is no longer needed. On a disk it stays until {@link #rest}; in memory it is removed at once.
     */
    void discard(Path tree) throws IOException {
        if (isMemory()) {
            remove(tree);
        } else {
            discarded.add(tree);
        }
    }

    /**
     * Ensures that there is room, and that no recent deletion slows the next run down.
     *
     * @param bytes the room; if there is less, all discarded copies are removed
     */
    void rest(long bytes) throws IOException, InterruptedException {
        if (room() < bytes) {
            for (Path tree : discarded) {
                remove(tree);
            }
            discarded.clear();
        }
        long nanos = REST.toNanos() - (System.nanoTime() - removed);
        if (!isMemory() && nanos > 0) {
            Thread.sleep(Duration.ofNanos(nanos));
        }
    }

    private long room() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }

    /** Removes a tree at once. */
    void remove(Path tree) throws IOException {
        if (Files.exists(tree)) {
            Programs.run("rm", "-rf", "--", tree);
            settle();
            removed = System.nanoTime();
        }
    }

    /**
     * Records that a program has removed a tree.
     *
     * @throws IOException if it has not
     */
    void removed(Path tree) throws IOException {
        if (Files.exists(tree)) {
            throw new IOException(tree + " was not removed");
        }
        removed = System.nanoTime();
    }

    /** Removes the copies, and the data sets if that was requested. */
    @Override
    public void close() throws IOException {
        remove(out);
        if (deletesData) {
            remove(data);
        }
    }
}
