// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The shape of a tree, without its names: how many directories have how many entries that are not directories, and how
 * many subdirectories, in classes of powers of two; and the duration of calls on it. The text form has a line for each.
 *
 * @param files class c counts the directories with at least 2<sup>c-1</sup> and fewer than 2<sup>c</sup> entries that
 *        are no directories; class 0 those with none
 * @param subdirectories the same for subdirectories
 * @param status the duration of querying the status of an entry
 * @param listing the duration of opening a directory and reading its first part
 * @param fileName the mean length of the name of an entry that is not a directory
 * @param directoryName the mean length of the name of a directory
 * @param tree the tree itself, if it was recorded and is not too large
 */
public record TreeShape(List<Long> files, List<Long> subdirectories, ServiceTimes status, ServiceTimes listing,
        int fileName, int directoryName, Optional<RecordedTree> tree) {

    private static final String MAGIC = "treehaul-shape 1";
    private static final int CLASSES = 40;
    private static final List<Long> USUAL_NAMES = List.of(14L, 10L);

    /** Checks the names and the classes. */
    public TreeShape {
        files = List.copyOf(files);
        subdirectories = List.copyOf(subdirectories);
        if (fileName < 1 || directoryName < 1) {
            throw new IllegalArgumentException("names of " + fileName + " and " + directoryName + " bytes");
        }
        check("files", files);
        check("subdirectories", subdirectories);
    }

    private static void check(String what, List<Long> classes) {
        if (classes.isEmpty() || classes.size() > CLASSES || classes.stream().anyMatch(n -> n < 0)) {
            throw new IllegalArgumentException(what + ": " + classes);
        }
    }

    /** Returns the class of a number. */
    static int classOf(long number) {
        return 64 - Long.numberOfLeadingZeros(number);
    }

    /** Returns the default shape for use without a recorded one. */
    public static TreeShape generated() {
        try (InputStream in = Objects.requireNonNull(TreeShape.class.getResourceAsStream("generated.shape"))) {
            return read(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the text form.
     *
     * @throws IOException when the input cannot be read, or is not a shape
     */
    public static TreeShape read(InputStream in) throws IOException {
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
        if (!MAGIC.equals(reader.readLine())) {
            throw new IOException("not a recorded shape: the first line is not '" + MAGIC + "'");
        }
        Map<String, List<Long>> lines = new HashMap<>();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            String[] words = line.trim().split(" +", -1);
            if (words.length > 1 && !line.startsWith("#")) {
                List<Long> numbers = new ArrayList<>();
                try {
                    for (int i = 1; i < words.length; i++) {
                        numbers.add(Long.parseLong(words[i]));
                    }
                } catch (NumberFormatException e) {
                    throw new IOException("not a number in a recorded shape: " + line, e);
                }
                lines.put(words[0], numbers);
            }
        }
        try {
            List<Long> names = lines.getOrDefault("names", USUAL_NAMES);
            if (names.size() != 2) {
                throw new IllegalArgumentException("names: " + names);
            }
            return new TreeShape(line(lines, "files"), line(lines, "subdirectories"),
                    new ServiceTimes(line(lines, "status")), new ServiceTimes(line(lines, "listing")),
                    Math.toIntExact(names.getFirst()), Math.toIntExact(names.getLast()), tree(lines));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("not a recorded shape: " + e.getMessage(), e);
        }
    }

    // Older recorded shapes contain no tree.
    private static Optional<RecordedTree> tree(Map<String, List<Long>> lines) {
        return lines.containsKey("tree-files")
                ? Optional.of(new RecordedTree(line(lines, "tree-files"), line(lines, "tree-subdirectories"),
                        line(lines, "tree-names"), line(lines, "tree-records")))
                : Optional.empty();
    }

    private static List<Long> line(Map<String, List<Long>> lines, String name) {
        List<Long> line = lines.get(name);
        if (line == null) {
            throw new IllegalArgumentException("no line '" + name + "'");
        }
        return line;
    }

    /** Returns the text form. */
    public String text() {
        return MAGIC + "\n# directories with 0, 1, 2-3, 4-7, ... entries that are not directories\n"
                + line("files", files) + "# directories with 0, 1, 2-3, 4-7, ... subdirectories\n"
                + line("subdirectories", subdirectories)
                + "# nanoseconds of a status: the mean of each of equal parts, from the shortest to the longest\n"
                + line("status", status.means())
                + "# nanoseconds to open a directory and read its first part, likewise\n"
                + line("listing", listing.means()) + "# mean length of the names of files, and of directories\n"
                + line("names", List.of((long) fileName, (long) directoryName))
                + tree.map(
                        whole -> "# each directory, level by level: other entries, subdirectories, length of its own "
                                + "name, mean length of a record of its listing\n" + whole.text())
                        .orElse("");
    }

    private static String line(String name, List<Long> numbers) {
        return name + numbers.stream().map(n -> " " + n).collect(Collectors.joining()) + "\n";
    }

    /** Draws a number from classes: each number of a class is equally likely. */
    static final class Drawer {
        private final double[] upTo;

        /**
         * Makes a drawer for the first class and those after it; it ignores earlier classes. If all are empty, it draws
         * 0.
         */
        Drawer(List<Long> classes, int firstClass) {
            upTo = new double[classes.size()];
            double sum = 0;
            for (int i = 0; i < upTo.length; i++) {
                sum += i < firstClass ? 0 : classes.get(i);
                upTo[i] = sum;
            }
            for (int i = 0; i < upTo.length; i++) {
                upTo[i] = sum == 0 ? 1 : upTo[i] / sum;
            }
        }

        /** Returns the mean of the drawn numbers. */
        double mean() {
            double mean = 0;
            for (int c = 1; c < upTo.length; c++) {
                mean += (upTo[c] - upTo[c - 1]) * 1.5 * (1L << (c - 1));
            }
            return mean;
        }

        long draw(Chance chance) {
            double at = chance.fraction();
            int c = 0;
            while (c < upTo.length - 1 && upTo[c] <= at) {
                c++;
            }
            if (c == 0) {
                return 0;
            }
            long low = 1L << (c - 1);
            return low + (long) (chance.fraction() * low);
        }
    }
}
