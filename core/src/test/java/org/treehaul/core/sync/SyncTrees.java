// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;

/** Two trees for a sync: the source {@code s} and the destination {@code d}, with what a run reports. */
public final class SyncTrees implements AutoCloseable {

    private static final String[] NAMES = {"a", "b", "c", "d"};
    private static final Timestamp[] TIMES = {new Timestamp(1_000_000_000, 5), new Timestamp(1_000_000_000, 6),
            new Timestamp(1_700_000_000, 0)};

    final TestDirectory place = TestDirectory.onTmpfs();
    final Path source = place.directory("s");
    final Path copy = place.directory("d");
    final List<String> changes = Collections.synchronizedList(new ArrayList<>());
    final List<String> events = Collections.synchronizedList(new ArrayList<>());

    static ByteString bytes(String text) {
        return ByteString.of(text);
    }

    /** Makes a tree of few names, so that two trees with different seeds have entries of all kinds in common. */
    public static void random(Path root, long seed) {
        Random random = new Random(seed);
        Map<String, Timestamp> directories = new HashMap<>();
        List<String> files = new ArrayList<>();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            fill(writer, random, "", 0, directories, files);
            directories.forEach((path, time) -> writer.times(bytes(path), time));
        }
        try {
            Files.setLastModifiedTime(root, FileTime.fromMillis(TIMES[random.nextInt(TIMES.length)].seconds() * 1000));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void fill(TreeWriter writer, Random random, String above, int depth,
            Map<String, Timestamp> directories, List<String> files) {
        for (String name : NAMES) {
            String path = above + name;
            Timestamp time = TIMES[random.nextInt(TIMES.length)];
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                }
                case 2, 3, 4 -> {
                    writer.directory(bytes(path));
                    if (random.nextInt(3) == 0) {
                        writer.mode(bytes(path), 0750);
                    }
                    directories.put(path, time);
                    if (depth < 3) {
                        fill(writer, random, path + "/", depth + 1, directories, files);
                    }
                }
                case 5 -> writer.symlink(bytes(path), bytes(NAMES[random.nextInt(2)])).times(bytes(path), time);
                case 6 -> writer.special(bytes(path), EntryKind.FIFO, 0).times(bytes(path), time);
                case 7 -> {
                    if (files.isEmpty()) {
                        break;
                    }
                    writer.hardLink(bytes(files.get(random.nextInt(files.size()))), bytes(path));
                }
                default -> {
                    writer.file(bytes(path), random.nextInt(3) * 5L, random.nextInt(2))
                            .mode(bytes(path), random.nextInt(3) == 0 ? 0400 : 0644);
                    if (random.nextInt(4) == 0) {
                        writer.attribute(bytes(path), bytes("user.x"), bytes("" + random.nextInt(2)));
                    }
                    writer.times(bytes(path), time);
                    files.add(path);
                }
            }
        }
    }

    SyncTrees source(Consumer<TreeWriter> writes) {
        return write(source, writes);
    }

    SyncTrees copy(Consumer<TreeWriter> writes) {
        return write(copy, writes);
    }

    private SyncTrees write(Path root, Consumer<TreeWriter> writes) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            writes.accept(writer);
        }
        return this;
    }

    /** Syncs the content of the source into the destination. */
    SyncResult sync(SyncOptions options) throws CopyRefusedException {
        return sync(Linux.calls(), options);
    }

    SyncResult sync(FileSystemCalls calls, SyncOptions options) throws CopyRefusedException {
        return sync(calls, options, source + "/", copy.toString());
    }

    SyncResult sync(FileSystemCalls calls, SyncOptions options, String from, String to) throws CopyRefusedException {
        changes.clear();
        events.clear();
        return TreeSync.of(calls, options, place.path())
                .sync(bytes(from), bytes(to),
                        change -> changes.add(
                                change.itemized(true) + " " + (change.path().isRoot() ? "." : change.path().toString())
                                        + (change.kind() == EntryKind.DIRECTORY ? "/" : "")),
                        event -> events.add(event.toString()), new Progress(), new Cancellation());
    }

    List<String> sortedChanges() {
        return changes.stream().sorted().toList();
    }

    public static TreeListing listing(Path root) {
        return TreeListing.of(Linux.calls(), root);
    }

    /** Runs a program and returns its exit code; its output is added to the list. */
    public static int run(List<String> output, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        output.addAll(process.inputReader(StandardCharsets.ISO_8859_1).lines().toList());
        return process.waitFor();
    }

    /** Returns whether a process is suspended, by its state in proc_pid_stat(5). */
    public static boolean isStopped(long pid) throws IOException {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (NoSuchFileException e) {
            // It has ended.
            return false;
        }
    }

    @Override
    public void close() {
        place.close();
    }
}
