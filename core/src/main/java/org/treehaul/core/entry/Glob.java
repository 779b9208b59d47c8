// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.annotation.Internal;

/**
 * A shell pattern for one name, as gitignore(5) and glob(7) have it, matched byte by byte: {@code *} for any bytes,
 * {@code ?} for one byte, {@code [...]} for one byte of a set with ranges, classes such as {@code [:digit:]} and
 * {@code !} or {@code ^} to negate it; a backslash makes the next byte an ordinary one. Classes hold ASCII characters
 * only, in any locale.
 *
 * <p>
 * Immutable.
 */
@Internal
public final class Glob {

    private static final int STAR = -1;
    private static final int ANY = -2;
    private static final int FIRST_SET = -3;

    // A byte (0 to 255), STAR, ANY, or FIRST_SET - i for the set i.
    private final int[] steps;
    private final List<boolean[]> sets;

    private Glob(int[] steps, List<boolean[]> sets) {
        this.steps = steps;
        this.sets = List.copyOf(sets);
    }

    /**
     * Compiles a pattern.
     *
     * @throws IllegalArgumentException for a bracket that is not closed, a class that does not exist, and a backslash
     *         at the end
     */
    public static Glob of(byte[] pattern) {
        Compiler compiler = new Compiler(pattern);
        compiler.compile();
        return new Glob(Arrays.copyOf(compiler.steps, compiler.count), compiler.sets);
    }

    /** Returns whether a name, which starts at {@code from} and ends before {@code to}, matches as a whole. */
    public boolean matches(byte[] bytes, int from, int to) {
        int step = 0;
        int at = from;
        int starStep = -1;
        int starAt = from;
        while (at < to) {
            if (step < steps.length && steps[step] == STAR) {
                starStep = ++step;
                starAt = at;
            } else if (step < steps.length && isMatch(steps[step], bytes[at] & 0xFF)) {
                step++;
                at++;
            } else if (starStep >= 0) {
                // Only the last star can take one byte more: an earlier one would only move the parts between them.
                step = starStep;
                at = ++starAt;
            } else {
                return false;
            }
        }
        while (step < steps.length && steps[step] == STAR) {
            step++;
        }
        return step == steps.length;
    }

    private boolean isMatch(int step, int b) {
        return step == b || step == ANY || step <= FIRST_SET && sets.get(FIRST_SET - step)[b];
    }

    /** Turns a pattern into steps. */
    private static final class Compiler {

        private final byte[] pattern;
        private final List<boolean[]> sets = new ArrayList<>();
        private final int[] steps;
        private int count;
        private int at;

        Compiler(byte[] pattern) {
            this.pattern = pattern;
            this.steps = new int[pattern.length];
        }

        void compile() {
            while (at < pattern.length) {
                byte b = pattern[at++];
                switch (b) {
                    case '*' -> {
                        if (count == 0 || steps[count - 1] != STAR) {
                            steps[count++] = STAR;
                        }
                    }
                    case '?' -> steps[count++] = ANY;
                    case '[' -> {
                        steps[count++] = FIRST_SET - sets.size();
                        sets.add(set());
                    }
                    case '\\' -> steps[count++] = quoted();
                    default -> steps[count++] = b & 0xFF;
                }
            }
        }

        private int quoted() {
            if (at == pattern.length) {
                throw new IllegalArgumentException("it ends with a single backslash; write \\\\ for a backslash");
            }
            return pattern[at++] & 0xFF;
        }

        private boolean[] set() {
            boolean isNegated = at < pattern.length && (pattern[at] == '!' || pattern[at] == '^');
            if (isNegated) {
                at++;
            }
            boolean[] set = new boolean[256];
            int first = at;
            int previous = -1;
            while (true) {
                int b = next();
                if (b == ']' && at - 1 > first) {
                    break;
                }
                if (b == '[' && at < pattern.length && pattern[at] == ':' && addClass(set)) {
                    previous = -1;
                } else if (b == '-' && previous >= 0 && at < pattern.length && pattern[at] != ']') {
                    int last = next();
                    Arrays.fill(set, previous, Math.max(previous, (last == '\\' ? quoted() : last) + 1), true);
                    previous = -1;
                } else {
                    previous = b == '\\' ? quoted() : b;
                    set[previous] = true;
                }
            }
            for (int b = 0; isNegated && b < set.length; b++) {
                set[b] = !set[b];
            }
            return set;
        }

        private int next() {
            if (at == pattern.length) {
                throw new IllegalArgumentException("a '[' is not closed; write \\[ for the character itself");
            }
            return pattern[at++] & 0xFF;
        }

        // Adds a class such as [:digit:], whose bracket was read; returns false where no class follows the bracket.
        private boolean addClass(boolean[] set) {
            int end = at + 1;
            while (end < pattern.length && pattern[end] != ']') {
                end++;
            }
            if (end == pattern.length || end < at + 2 || pattern[end - 1] != ':') {
                return false;
            }
            String name = new String(pattern, at + 1, end - at - 2, StandardCharsets.ISO_8859_1);
            for (int b = 0; b < 128; b++) {
                set[b] |= isIn(name, b);
            }
            at = end + 1;
            return true;
        }

        private static boolean isIn(String name, int b) {
            boolean isUpper = b >= 'A' && b <= 'Z';
            boolean isLower = b >= 'a' && b <= 'z';
            boolean isDigit = b >= '0' && b <= '9';
            boolean isGraphic = b > ' ' && b < 0x7F;
            return switch (name) {
                case "alnum" -> isUpper || isLower || isDigit;
                case "alpha" -> isUpper || isLower;
                case "blank" -> b == ' ' || b == '\t';
                case "cntrl" -> b < ' ' || b == 0x7F;
                case "digit" -> isDigit;
                case "graph" -> isGraphic;
                case "lower" -> isLower;
                case "print" -> isGraphic || b == ' ';
                case "punct" -> isGraphic && !isUpper && !isLower && !isDigit;
                case "space" -> b == ' ' || b >= '\t' && b <= '\r';
                case "upper" -> isUpper;
                case "xdigit" -> isDigit || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F';
                default -> throw new IllegalArgumentException("unknown class [:" + name + ":]");
            };
        }
    }
}
