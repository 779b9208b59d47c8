// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;

/** The tuples of an index of a generated tree, in the order of a walk. */
final class SampleIndex {
    private static final int FILES_IN_DIRECTORY = 49;
    private static final int DIRECTORIES_IN_RUN = 20;
    private static final int RUNS_IN_PROJECT = 50;
    private static final long YEAR = 365L * 24 * 3600 * 1_000_000_000;
    private static final long NEWEST = 1_767_225_600L * 1_000_000_000; // 2026
    private static final List<String> SUFFIXES = List.of("c", "h", "dat", "h5", "log", "txt", "nc", "o");

    private SampleIndex() {}

    /** Passes the tuples. */
    static void generate(int entries, Consumer<Record> receiver) {
        SplittableRandom random = new SplittableRandom(1);
        receiver.accept(new IndexedRoot(ByteString.of("/scratch"), 1, NEWEST, entries, 0));
        for (int i = 0; i < entries;) {
            int number = i / (FILES_IN_DIRECTORY + 1);
            int run = number / DIRECTORIES_IN_RUN;
            String parent = "/scratch/project" + run / RUNS_IN_PROJECT + "/run" + run % RUNS_IN_PROJECT;
            String name = "d" + number % DIRECTORIES_IN_RUN;
            receiver.accept(tuple(random, parent, name, EntryKind.DIRECTORY, i++));
            for (int file = 0; file < FILES_IN_DIRECTORY && i < entries; file++) {
                receiver.accept(tuple(random, parent + "/" + name,
                        "file" + file + "." + SUFFIXES.get(file % SUFFIXES.size()), EntryKind.REGULAR, i++));
            }
        }
    }

    private static FileTuple tuple(SplittableRandom random, String directory, String name, EntryKind kind, int inode) {
        // Most files are small, few are very large.
        long size = (long) Math.exp(random.nextGaussian(9, 3));
        long time = NEWEST - random.nextLong(5 * YEAR);
        return new FileTuple(ByteString.of(directory), ByteString.of(name), kind, size, (size + 511) / 512, time, time,
                time, time, 0644, 1000 + random.nextInt(40), 100, 1, inode, 1, null, null, false, 1);
    }
}
