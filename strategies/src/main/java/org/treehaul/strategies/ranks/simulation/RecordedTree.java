// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * The directories of a tree, each with the number of its entries, without names: level by level, so that the
 * subdirectories of one directory follow each other.
 */
public final class RecordedTree {

    /**
     * The largest number of directories with which the tree itself is recorded; for larger trees only the classes are.
     */
    public static final int MOST_DIRECTORIES = 1 << 20;

    private final int[] files;
    private final int[] subdirectories;
    private final int[] names;
    private final int[] records;
    private final int[] firstChild;

    /**
     * Makes a tree.
     *
     * @param files for each directory, the number of entries that are not directories
     * @param subdirectories for each, the number of subdirectories
     * @param names for each, the length of its own name; 0 for the root
     * @param records for each, the mean number of bytes of an entry in a listing
     * @throws IllegalArgumentException when the lists do not describe one tree
     */
    RecordedTree(List<Long> files, List<Long> subdirectories, List<Long> names, List<Long> records) {
        this.files = numbers(files);
        this.subdirectories = numbers(subdirectories);
        this.names = numbers(names);
        this.records = numbers(records);
        int count = this.files.length;
        if (count == 0 || this.subdirectories.length != count || this.names.length != count
                || this.records.length != count
                || Arrays.stream(this.subdirectories).asLongStream().sum() != count - 1) {
            throw new IllegalArgumentException(
                    "the tree has " + count + " directories in one place and not in another");
        }
        firstChild = new int[count];
        int next = 1;
        for (int i = 0; i < count; i++) {
            if (i >= next) {
                throw new IllegalArgumentException("directory " + i + " of the tree is in no directory");
            }
            firstChild[i] = next;
            next += this.subdirectories[i];
        }
    }

    private static int[] numbers(List<Long> list) {
        return list.stream().mapToInt(n -> {
            if (n < 0 || n > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("not a number of a tree: " + n);
            }
            return n.intValue();
        }).toArray();
    }

    /** Returns the number of entries of the tree, including its root. */
    public long entries() {
        return files.length + Arrays.stream(files).asLongStream().sum();
    }

    int files(int directory) {
        return files[directory];
    }

    int record(int directory) {
        return records[directory];
    }

    int name(int directory) {
        return names[directory];
    }

    /** Returns the subdirectories of a directory. */
    IntStream children(int directory) {
        return IntStream.range(firstChild[directory], firstChild[directory] + subdirectories[directory]);
    }

    String text() {
        return line("tree-files", files) + line("tree-subdirectories", subdirectories) + line("tree-names", names)
                + line("tree-records", records);
    }

    private static String line(String name, int[] numbers) {
        StringBuilder line = new StringBuilder(name);
        for (int number : numbers) {
            line.append(' ').append(number);
        }
        return line.append('\n').toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RecordedTree that && Arrays.equals(files, that.files)
                && Arrays.equals(subdirectories, that.subdirectories) && Arrays.equals(names, that.names)
                && Arrays.equals(records, that.records);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(files) + 31 * Arrays.hashCode(subdirectories);
    }

    @Override
    public String toString() {
        return files.length + " directories of " + entries() + " entries";
    }
}
