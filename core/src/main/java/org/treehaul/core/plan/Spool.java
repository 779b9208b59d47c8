// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.format.PlanFiles;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.spool.EntrySink;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;

/**
 * The findings of the walk, sorted in files beside the plan: entries, names of files with several names, directories,
 * failures. Memory use does not grow with any of them.
 */
final class Spool implements Closeable {

    /** Bytes of a directory: flags, permissions of the target or its own, inode, device, owner, group. */
    static final int DIRECTORY_BYTES = 1 + 2 + 8 + 8 + 4 + 4;

    /** Bytes before the key of an entry in the sort key of a name of a file that may have more names. */
    static final int LINK_KEY = 2 * Long.BYTES;

    private final Path directory;
    private final ExternalSort entries;
    private final ExternalSort links;
    private final ExternalSort directories;
    private final ExternalSort failures;
    private final int runBytes;

    Spool(Path directory, int runBytes) throws IOException {
        PrivateFiles.removeDirectory(directory);
        PrivateFiles.makeDirectory(directory);
        // Each planner has its own directory: one that was believed dead but runs must not write into its successor's
        // files. A predictable number is enough, because only the owner can write here, and SecureRandom takes longer to start
        // than a small plan takes.
        this.directory = directory.resolve(Long.toUnsignedString(ThreadLocalRandom.current().nextLong()));
        PrivateFiles.makeDirectory(this.directory);
        this.runBytes = runBytes;
        this.entries = ExternalSort.ofThreads(this.directory, "entries", runBytes);
        this.links = new ExternalSort(this.directory, "links", false, runBytes);
        // Descending order: subdirectories come before their parents.
        this.directories = new ExternalSort(this.directory, "directories", true, runBytes);
        this.failures = new ExternalSort(this.directory, "failures", false, runBytes);
    }

    ExternalSort entries() {
        return entries;
    }

    ExternalSort links() {
        return links;
    }

    ExternalSort directories() {
        return directories;
    }

    ExternalSort failures() {
        return failures;
    }

    /** Returns a new sorter for entries by batch; the caller closes it. */
    ExternalSort byBatch() {
        return new ExternalSort(directory, "by-batch", false, runBytes);
    }

    /** Writes the first {@link #LINK_KEY} bytes of such a key, by which all names of a file are adjacent. */
    static void putLinkKey(SpooledStatus status, byte[] into, int at) {
        ByteBuffer.wrap(into, at, LINK_KEY).putLong(status.device()).putLong(status.inode());
    }

    /**
     * Passes on the names of files with several links. A file with only one name within the transfer is passed on as a
     * single entry; for others the first name in plan order comes first and the further names follow it.
     */
    void resolveLinks(EntrySink sink) throws IOException {
        try (ExternalSort.Records records = links.open()) {
            RunBuffer block = new RunBuffer();
            byte[] first = {};
            byte[] pending = {};
            boolean isGroup = false;
            while (records.advance()) {
                // Also between two names of a file, which may have any number of them.
                if (block.usedBytes() > PlanHandler.BLOCK_BYTES && !(isGroup && sink.needsAllNames())) {
                    sink.addAll(block);
                    block.clear();
                }
                byte[] key = records.key();
                if (first.length > 0 && Arrays.equals(key, 0, LINK_KEY, first, 0, LINK_KEY)) {
                    byte[] firstKey = Arrays.copyOfRange(first, LINK_KEY, first.length);
                    if (!isGroup) {
                        block.add(firstKey, as(SpooledEntry.Role.FIRST, pending, 0));
                        isGroup = true;
                    }
                    byte[] member = SpoolKey.member(firstKey, Arrays.copyOfRange(key, LINK_KEY, key.length));
                    block.add(member, as(SpooledEntry.Role.FURTHER, records.content(), firstKey.length + 1));
                    continue;
                }
                addSingle(block, first, pending, isGroup);
                first = key;
                pending = records.content();
                isGroup = false;
            }
            addSingle(block, first, pending, isGroup);
            sink.addAll(block);
        }
    }

    private static void addSingle(RunBuffer block, byte[] key, byte[] content, boolean isGroup) {
        if (key.length > 0 && !isGroup) {
            block.add(Arrays.copyOfRange(key, LINK_KEY, key.length), content);
        }
    }

    private static byte[] as(SpooledEntry.Role role, byte[] content, int keyStart) {
        SpooledEntry entry = SpooledEntry.decode(content);
        return new SpooledEntry(role, keyStart, entry.status(), entry.servers(), entry.cuts()).encode();
    }

    void fail(int root, EntryFailure failure) throws IOException {
        byte[] operation = failure.operation().getBytes(StandardCharsets.UTF_8);
        byte[] content = ByteBuffer.allocate(5 + operation.length)
                .put((byte) PlanFiles.letter(failure.kind()))
                .putInt(failure.errno())
                .put(operation)
                .array();
        failures.add(SpoolKey.ofDirectory(root, failure.path().toBytes()), content);
    }

    /** Writes the directories and the failures into the plan. */
    void writeRest(PlanWriter plan, FinishingOrder order) throws IOException {
        try (ExternalSort.Records records = directories.open()) {
            while (records.advance()) {
                SpoolKey key = SpoolKey.parse(records.key(), 0);
                ByteBuffer content = ByteBuffer.wrap(records.content());
                plan.directories()
                        .directory(order.root(key.root()), key.path(), content.get(), content.getShort(),
                                content.getLong(), content.getLong(), content.getInt(), content.getInt());
            }
        }
        try (ExternalSort.Records records = failures.open()) {
            while (records.advance()) {
                SpoolKey key = SpoolKey.parse(records.key(), 0);
                ByteBuffer content = ByteBuffer.wrap(records.content());
                EntryFailure.Kind kind = PlanFiles.failure(content.get());
                int errno = content.getInt();
                String operation = new String(content.array(), content.position(), content.remaining(),
                        StandardCharsets.UTF_8);
                plan.addFailure(new PlannedFailure(key.root(),
                        new EntryFailure(kind, ByteString.empty(), TreePath.of(key.path()), operation, errno)));
            }
        }
    }

    /** Removes the files. Those that cannot be removed take room until the directory of the plan is removed. */
    @Override
    public void close() {
        for (ExternalSort sort : new ExternalSort[]{entries, links, directories, failures}) {
            try {
                sort.close();
            } catch (IOException e) {
                // Its directory is removed below.
            }
        }
        try {
            PrivateFiles.removeDirectory(directory);
            Files.deleteIfExists(Objects.requireNonNull(directory.getParent()));
        } catch (IOException e) {
            // The plan does not need it any more; the directory of a successor may be there, too.
        }
    }
}
