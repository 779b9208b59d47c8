// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.copy.outcome.CompletedEntries;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.spool.ExternalSort;

/**
 * The entries whose copies are complete, in files of a private temporary directory, so that memory does not grow with
 * their number. Several threads may add entries; afterwards one thread reads them.
 */
final class CopiedEntries implements CompletedEntries, AutoCloseable {

    private final Path directory;
    private final ExternalSort links;
    // Guarded by this, as the writing.
    private final DataOutputStream files;
    private final DataOutputStream directories;
    private long directoryCount;
    private long count;

    CopiedEntries() throws IOException {
        directory = Files.createTempDirectory("treehaul-mv-");
        links = new ExternalSort(directory, "links", false, ExternalSort.defaultRunBytes());
        files = out("files");
        directories = out("directories");
    }

    private DataOutputStream out(String name) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(PrivateFiles.rewrite(directory.resolve(name))));
    }

    @Override
    public void copied(int root, TreePath path, FileStatus source) {
        CopiedEntry entry = CopiedEntry.of(root, path, source);
        try {
            if (source.linkCount() > 1) {
                byte[] key = ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(source.device())
                        .putLong(source.inode())
                        .array();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                entry.write(new DataOutputStream(bytes));
                links.add(key, bytes.toByteArray());
                return;
            }
            synchronized (this) {
                entry.write(files);
                count++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void directoryCopied(int root, TreePath path, FileStatus source) {
        try {
            CopiedEntry.of(root, path, source).write(directories);
            directoryCount++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Receives entries. */
    interface Reader<T> {
        /** Receives an entry; returns whether the next one is wanted. */
        boolean next(T entry) throws IOException;
    }

    /** Ends the writing; afterwards nothing is added. */
    synchronized void complete() throws IOException {
        files.close();
        directories.close();
    }

    /** Reads the files with one name. */
    void readFiles(Reader<CopiedEntry> reader) throws IOException {
        read("files", count, reader);
    }

    /** Reads the directories, each after those below it. */
    void readDirectories(Reader<CopiedEntry> reader) throws IOException {
        read("directories", directoryCount, reader);
    }

    private void read(String name, long number, Reader<CopiedEntry> reader) throws IOException {
        try (DataInputStream in = new DataInputStream(
                new BufferedInputStream(Files.newInputStream(directory.resolve(name))))) {
            for (long i = 0; i < number && reader.next(CopiedEntry.read(in)); i++) {
                // The condition does the work.
            }
        }
    }

    /** Reads the names of files with several names, all names of a file at once. */
    void readGroups(Reader<List<CopiedEntry>> reader) throws IOException {
        try (ExternalSort.Records records = links.open()) {
            List<CopiedEntry> group = new ArrayList<>();
            while (records.advance()) {
                CopiedEntry entry = CopiedEntry.read(new DataInputStream(new ByteArrayInputStream(records.content())));
                if (!group.isEmpty() && !isSameFile(group.getFirst(), entry)) {
                    if (!reader.next(List.copyOf(group))) {
                        return;
                    }
                    group.clear();
                }
                group.add(entry);
            }
            if (!group.isEmpty()) {
                reader.next(group);
            }
        }
    }

    private static boolean isSameFile(CopiedEntry one, CopiedEntry other) {
        return one.device() == other.device() && one.inode() == other.inode();
    }

    @Override
    public void close() throws IOException {
        files.close();
        directories.close();
        links.close();
        for (String name : List.of("files", "directories")) {
            Files.deleteIfExists(directory.resolve(name));
        }
        Files.deleteIfExists(directory);
    }
}
