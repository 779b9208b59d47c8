// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;

/**
 * A tree that is computed from its number of entries and a seed: the same arguments give the same tree, and no part of
 * it is stored. Most of its files are empty. The directories form a tree in which each contains up to
 * {@link #SUBDIRECTORIES} others; each but the last ones contains the same number of files. Safe for any number of
 * threads.
 *
 * <p>
 * An entry is a number, a <em>node</em>: directories come first, the root being 0, then files.
 */
final class GeneratedTree {

    /** The most directories that a directory contains. */
    static final int SUBDIRECTORIES = 16;

    /** The largest size of a file in bytes. */
    static final int LARGEST = 4096;

    /** The mean number of files of which one is not empty. */
    private static final int EMPTY = 10;

    private static final long FIRST_INODE = 2;
    private static final long BEGIN = 1_500_000_000L;
    private static final long YEARS = 100_000_000L;
    private static final long NANOS = 1_000_000_000L;

    private final long entries;
    private final int filesInEach;
    private final long seed;
    private final long directories;

    /**
     * Describes a tree.
     *
     * @param entries the number of entries below the root, 1 or more
     * @param filesInEach the number of files in a directory, 1 or more
     */
    GeneratedTree(long entries, int filesInEach, long seed) {
        if (entries < 1 || filesInEach < 1) {
            throw new IllegalArgumentException(entries + " entries, " + filesInEach + " files in each directory");
        }
        this.entries = entries;
        this.filesInEach = filesInEach;
        this.seed = seed;
        // Rounded up, so that all files have a place; the root counts as a directory, and not as an entry.
        this.directories = (entries + 1 + filesInEach) / (filesInEach + 1L);
    }

    /** Returns the number of entries below the root. */
    long entries() {
        return entries;
    }

    /** Returns the number of directories with the root. */
    long directories() {
        return directories;
    }

    /** Returns the number of files. */
    long files() {
        return entries + 1 - directories;
    }

    boolean isDirectory(long node) {
        return node < directories;
    }

    /** Returns the directory that contains an entry other than the root. */
    long parent(long node) {
        return isDirectory(node) ? (node - 1) / SUBDIRECTORIES : (node - directories) / filesInEach;
    }

    /** Returns the number of entries in a directory. */
    long count(long directory) {
        return subdirectories(directory) + files(directory);
    }

    private long subdirectories(long directory) {
        return Math.clamp(directories - 1 - directory * SUBDIRECTORIES, 0, SUBDIRECTORIES);
    }

    private long files(long directory) {
        return Math.clamp(files() - directory * filesInEach, 0, filesInEach);
    }

    /** Returns the entry of a directory at a position, from 0 on; the directories come first. */
    long at(long directory, long position) {
        long before = subdirectories(directory);
        return position < before
                ? directory * SUBDIRECTORIES + 1 + position
                : directories + directory * filesInEach + position - before;
    }

    /** Returns the letter with which the name of an entry begins; digits follow, see {@link #number}. */
    byte letter(long node) {
        return (byte) (isDirectory(node) ? 'd' : 'f');
    }

    /** Returns the number in the name of an entry. */
    long number(long node) {
        return isDirectory(node) ? node : node - directories;
    }

    /**
     * Returns the entry with a name in a directory, or -1 if there is none.
     *
     * @param letter its letter
     * @param number the number in the name
     */
    long find(long directory, byte letter, long number) {
        boolean isThere = letter == 'd' ? number > 0 && number < directories : letter == 'f' && number < files();
        long node = letter == 'd' ? number : directories + number;
        return isThere && parent(node) == directory ? node : -1;
    }

    /** Returns the path of an entry below the root, empty for the root. */
    String path(long node) {
        if (node == 0) {
            return "";
        }
        String above = path(parent(node));
        return above + (above.isEmpty() ? "" : "/") + (char) letter(node) + number(node);
    }

    EntryKind kind(long node) {
        return isDirectory(node) ? EntryKind.DIRECTORY : EntryKind.REGULAR;
    }

    /** Returns the size of an entry in bytes. */
    long size(long node) {
        long random = random(node);
        return isDirectory(node)
                ? LARGEST
                : Long.remainderUnsigned(random, EMPTY) == 0 ? 1 + Long.remainderUnsigned(random >>> 8, LARGEST) : 0;
    }

    /** Returns the time of its last change. */
    Timestamp time(long node) {
        long random = random(node);
        return new Timestamp(BEGIN + Long.remainderUnsigned(random >>> 16, YEARS), nanos(random));
    }

    private static int nanos(long random) {
        return (int) Long.remainderUnsigned(random >>> 3, NANOS);
    }

    /** Returns the byte of which its data consist. */
    byte data(long node) {
        return (byte) (random(node) >>> 40);
    }

    long inode(long node) {
        return FIRST_INODE + node;
    }

    // The finalizer of SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014).
    private long random(long node) {
        long z = seed + (node + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
