// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import java.util.ArrayList;
import java.util.List;

/** Reads one mode expression. */
final class ModeParser {

    private static final int DIGITS_THAT_KEEP_SET_IDS = 4;
    private static final int STICKY = 01000;
    private static final int PERMISSIONS = 0777;

    private final String text;
    private int at;

    ModeParser(String text) {
        this.text = text;
    }

    /** Returns the steps in their order. */
    List<ModeStep> steps() {
        if (isDigit()) {
            int mode = octal();
            if (at < text.length()) {
                throw wrong();
            }
            int named = at <= DIGITS_THAT_KEEP_SET_IDS
                    ? mode & ModeStep.SET_IDS | STICKY | PERMISSIONS
                    : ModeChange.ALL;
            return List.of(new ModeStep('=', ModeChange.ALL, ModeStep.Source.BITS, mode, named));
        }
        List<ModeStep> steps = new ArrayList<>();
        clause(steps);
        while (at < text.length()) {
            if (next() != ',') {
                throw wrong();
            }
            clause(steps);
        }
        return List.copyOf(steps);
    }

    private void clause(List<ModeStep> steps) {
        int classes = 0;
        while (!isOperator()) {
            classes |= switch (next()) {
                case 'u' -> 04700;
                case 'g' -> 02070;
                case 'o' -> STICKY | 0007;
                case 'a' -> ModeChange.ALL;
                default -> throw wrong();
            };
        }
        do {
            steps.add(step(next(), classes));
        } while (isOperator());
    }

    private ModeStep step(char operator, int classes) {
        if (isDigit()) {
            int mode = octal();
            if (classes != 0 || at < text.length() && text.charAt(at) != ',') {
                throw wrong();
            }
            return new ModeStep(operator, ModeChange.ALL, ModeStep.Source.BITS, mode, ModeChange.ALL);
        }
        int bits = at == text.length() ? 0 : ofClass(text.charAt(at));
        if (bits != 0) {
            at++;
            return new ModeStep(operator, classes, ModeStep.Source.CLASS, bits, named(classes, bits));
        }
        ModeStep.Source source = ModeStep.Source.BITS;
        for (boolean isBit = true; isBit && at < text.length();) {
            char letter = text.charAt(at);
            int bit = bit(letter);
            if (letter == 'X') {
                source = ModeStep.Source.BITS_AND_SOME_EXECUTE;
            }
            bits |= bit;
            isBit = bit != 0 || letter == 'X';
            at += isBit ? 1 : 0;
        }
        return new ModeStep(operator, classes, source, bits, named(classes, bits));
    }

    private static int named(int classes, int bits) {
        return classes == 0 ? bits : classes & bits;
    }

    private static int ofClass(char letter) {
        return switch (letter) {
            case 'u' -> 0700;
            case 'g' -> 0070;
            case 'o' -> 0007;
            default -> 0;
        };
    }

    private static int bit(char letter) {
        return switch (letter) {
            case 'r' -> 0444;
            case 'w' -> 0222;
            case 'x' -> 0111;
            case 's' -> ModeStep.SET_IDS;
            case 't' -> STICKY;
            default -> 0;
        };
    }

    private int octal() {
        int mode = 0;
        while (isDigit()) {
            mode = 8 * mode + next() - '0';
            if (mode > ModeChange.ALL) {
                throw wrong();
            }
        }
        return mode;
    }

    private boolean isDigit() {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '7';
    }

    private boolean isOperator() {
        return at < text.length() && "+-=".indexOf(text.charAt(at)) >= 0;
    }

    private char next() {
        if (at == text.length()) {
            throw wrong();
        }
        return text.charAt(at++);
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException(
                "'" + text + "' is not a mode: give an octal number of at most 7777, such as "
                        + "644, or an expression of u, g, o, a, +, -, = and r, w, x, X, s, t, such as u+rwX,go-w");
    }
}
