// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.outcome.CompletedEntries;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.threads.ParallelLoop;

/**
 * The entries whose copies are complete, in files of a private temporary directory, so that memory does not grow with
 * their number. Several threads may add entries; afterwards they are read in the order of their removal.
 */
final class CopiedEntries implements CompletedEntries, AutoCloseable {

    private static final String FILES = "files";

    private final ScratchDirectory directory;
    private final ExternalSort links;
    private final ExternalSort directories;
    // Guarded by this, as the writing.
    private final DataOutputStream files;
    private long count;

    CopiedEntries() throws IOException {
        directory = ScratchDirectory.open("treehaul-mv-");
        Path path = directory.path();
        links = new ExternalSort(path, "links", false, ExternalSort.defaultRunBytes());
        directories = new ExternalSort(path, "directories", true, ExternalSort.defaultRunBytes());
        // An interrupt of the thread that closes it does not close its channel, as it would that of PrivateFiles.
        files = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path.resolve(FILES))));
    }

    @Override
    public void copied(int root, TreePath path, FileStatus source) {
        CopiedEntry entry = CopiedEntry.of(root, path, source);
        try {
            if (source.linkCount() > 1) {
                links.add(key(source.device(), source.inode()), bytes(entry));
                return;
            }
            synchronized (this) {
                entry.write(files);
                count++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(ScratchDirectory.explain(e));
        }
    }

    @Override
    public void directoryCopied(int root, TreePath path, FileStatus source) {
        try {
            directories.add(ByteBuffer.allocate(Integer.BYTES).putInt(path.depth()).array(),
                    bytes(CopiedEntry.of(root, path, source)));
        } catch (IOException e) {
            throw new UncheckedIOException(ScratchDirectory.explain(e));
        }
    }

    private static byte[] key(long first, long second) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(first).putLong(second).array();
    }

    private static byte[] bytes(CopiedEntry entry) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        entry.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** Entries that are read from files. */
    interface Reader<T> extends ParallelLoop.Source<T>, Closeable {}

    /** Ends the writing; afterwards nothing is added. */
    synchronized void complete() throws IOException {
        try {
            files.close();
        } catch (IOException e) {
            throw ScratchDirectory.explain(e);
        }
    }

    /** Returns the number of files with one name. */
    synchronized long fileCount() {
        return count;
    }

    /** Reads the files with one name. */
    Reader<CopiedEntry> files() throws IOException {
        DataInputStream in = new DataInputStream(
                new BufferedInputStream(Files.newInputStream(directory.path().resolve(FILES))));
        return new Reader<>() {
            private long left = fileCount();

            @Override
            public @Nullable CopiedEntry next() throws IOException {
                return left-- > 0 ? CopiedEntry.read(in) : null;
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
    }

    /** Reads the directories, the deepest first. */
    Reader<CopiedEntry> directories() throws IOException {
        return new Sorted(directories.open());
    }

    /** Reads the names of files with several names, all names of a file at once. */
    Reader<List<CopiedEntry>> groups() throws IOException {
        Sorted names = new Sorted(links.open());
        return new Reader<>() {
            private @Nullable CopiedEntry ahead = names.next();

            @Override
            public @Nullable List<CopiedEntry> next() throws IOException {
                CopiedEntry first = ahead;
                if (first == null) {
                    return null;
                }
                List<CopiedEntry> group = new ArrayList<>();
                for (CopiedEntry entry = first; entry != null && entry.isSameFile(first); entry = ahead) {
                    group.add(entry);
                    ahead = names.next();
                }
                return group;
            }

            @Override
            public void close() throws IOException {
                names.close();
            }
        };
    }

    /** Sorted entries. */
    private record Sorted(ExternalSort.Records records) implements Reader<CopiedEntry> {

        @Override
        public @Nullable CopiedEntry next() throws IOException {
            return records.advance()
                    ? CopiedEntry.read(new DataInputStream(new ByteArrayInputStream(records.content())))
                    : null;
        }

        @Override
        public void close() throws IOException {
            records.close();
        }
    }

    @Override
    public void close() throws IOException {
        // The files go in any case, also if the last bytes could not be written.
        try (directory; links; directories) {
            files.close();
        }
    }
}
