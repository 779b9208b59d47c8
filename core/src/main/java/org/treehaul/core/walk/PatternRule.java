// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

import org.eclipse.jgit.ignore.FastIgnoreRule;

/**
 * One pattern of gitignore(5), matched by JGit. JGit matches text, so bytes are shown to it as characters that nothing
 * in it treats specially: by themselves where they are printable ASCII, as private-use characters otherwise (a byte
 * above 127 could be a letter of Latin-1 or a line terminator of regular expressions).
 */
final class PatternRule {

    private static final char PRIVATE_USE = '\uE000';

    private final FastIgnoreRule rule;
    private final boolean isNameOnly;

    private PatternRule(FastIgnoreRule rule, boolean isNameOnly) {
        this.rule = rule;
        this.isNameOnly = isNameOnly;
    }

    /** Returns the characters that stand for bytes in patterns and paths. */
    static String view(byte[] bytes) {
        char[] text = new char[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            int b = bytes[i] & 0xFF;
            // Of the control characters only these end a line for a regular expression; the rest may be asked for by class.
            text[i] = b >= 0x7F || b == '\n' || b == '\r' ? (char) (PRIVATE_USE + b) : (char) b;
        }
        return new String(text);
    }

    /**
     * Returns the pattern that a line of a file holds: without the CR of a line ended by CR LF, and without spaces at
     * the end that no backslash quotes; empty for a comment and a blank line.
     */
    static byte[] patternOf(byte[] line) {
        if (line.length == 0 || line[0] == '#') {
            return new byte[0];
        }
        int end = line[line.length - 1] == '\r' ? line.length - 1 : line.length;
        int keep = 0;
        for (int i = 0; i < end; i++) {
            if (line[i] == '\\') {
                i++;
                keep = Math.min(i + 1, end);
            } else if (line[i] != ' ') {
                keep = i + 1;
            }
        }
        return Arrays.copyOf(line, keep);
    }

    /**
     * Makes a rule.
     *
     * @throws IllegalArgumentException when nothing could ever match it
     */
    static PatternRule parse(byte[] pattern) {
        boolean isNegated = pattern.length > 0 && pattern[0] == '!';
        byte[] body = isNegated ? Arrays.copyOfRange(pattern, 1, pattern.length) : pattern;
        check(body);
        String text = guarded(view(withoutQuotes(body)));
        FastIgnoreRule rule = new FastIgnoreRule(isNegated ? "!" + text : text);
        if (rule.isEmpty()) {
            throw new IllegalArgumentException("no pattern of gitignore(5)");
        }
        boolean isNameOnly = text.lastIndexOf('/', text.length() - 2) < 0;
        return new PatternRule(rule, isNameOnly);
    }

    // Git takes these without a word and then matches nothing, which for a copy would be a bad surprise.
    private static void check(byte[] body) {
        if (body.length == 0 || body.length == 1 && body[0] == '/') {
            throw new IllegalArgumentException("it matches nothing, as it holds no name");
        }
        int bracket = -1;
        for (int i = 0; i < body.length; i++) {
            if (body[i] == '\\') {
                i++;
                if (i == body.length) {
                    throw new IllegalArgumentException(
                            "it ends with a backslash that quotes nothing; a backslash itself is \\\\");
                }
            } else if (bracket >= 0) {
                bracket = inBracket(body, i, bracket);
            } else if (body[i] == '[') {
                bracket = i;
            } else if (body[i] == '/' && i > 0 && body[i - 1] == '/') {
                throw new IllegalArgumentException("it matches nothing, as no path has two slashes in a row");
            }
        }
        if (bracket >= 0) {
            throw new IllegalArgumentException("a '[' is not closed; a '[' itself is \\[");
        }
    }

    // JGit takes a quoted asterisk at the end of a name for a wildcard (\\a\\* matched all that begins with a). Between brackets
    // it is what it is; a quote before a character that needs none is left out.
    private static byte[] withoutQuotes(byte[] body) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream(body.length + 8);
        int bracket = -1;
        for (int i = 0; i < body.length; i++) {
            byte b = body[i];
            if (b == '\\' && bracket < 0) {
                byte quoted = body[++i];
                switch (quoted) {
                    case '*', '?' -> plain.writeBytes(new byte[]{'[', quoted, ']'});
                    case '[', ']', '\\' -> plain.writeBytes(new byte[]{b, quoted});
                    default -> plain.write(quoted);
                }
                continue;
            }
            plain.write(b);
            if (b == '\\') {
                plain.write(body[++i]);
            } else if (bracket >= 0) {
                bracket = inBracket(body, i, bracket);
            } else if (b == '[') {
                bracket = i;
            }
        }
        return plain.toByteArray();
    }

    // Returns where the bracket that the index is in begins, or -1 where it ends there.
    private static int inBracket(byte[] body, int at, int bracket) {
        if (body[at] == '/') {
            throw new IllegalArgumentException("a slash between brackets matches nothing");
        }
        int first = bracket + 1;
        if (first < body.length && (body[first] == '!' || body[first] == '^')) {
            first++;
        }
        if (body[at] != ']' || at == first) {
            return bracket;
        }
        return body[at - 1] == ':' && endsClass(body, bracket + 1, at) ? bracket : -1;
    }

    // Whether the ] after a colon ends a class such as [:digit:] rather than the bracket.
    private static boolean endsClass(byte[] body, int from, int at) {
        for (int i = at - 2; i >= from; i--) {
            if (body[i] == ':') {
                return i > from && body[i - 1] == '[';
            }
            if (body[i] < 'a' || body[i] > 'z') {
                return false;
            }
        }
        return false;
    }

    // JGit strips white space from both ends and takes # for a comment; between brackets they are themselves.
    private static String guarded(String text) {
        String result = text;
        char first = result.charAt(0);
        if (first <= ' ') {
            result = "[" + first + "]" + result.substring(1);
        } else if (first == '#' || first == '!') {
            result = "\\" + result;
        }
        int last = result.length() - 1;
        if (result.charAt(last) <= ' ') {
            boolean isQuoted = last > 0 && result.charAt(last - 1) == '\\' && backslashes(result, last) % 2 == 1;
            result = result.substring(0, isQuoted ? last - 1 : last) + "[" + result.charAt(last) + "]";
        }
        return result;
    }

    private static int backslashes(String text, int before) {
        int count = 0;
        while (before - count > 0 && text.charAt(before - count - 1) == '\\') {
            count++;
        }
        return count;
    }

    /** Returns whether it is about names alone, wherever they stand. */
    boolean isNameOnly() {
        return isNameOnly;
    }

    /** Returns whether what it matches is excluded rather than included. */
    boolean isExclude() {
        return rule.getResult();
    }

    /** Returns whether it matches the {@link #view} of a path, or of a name when it is about names alone. */
    boolean matches(String text, boolean isDirectory) {
        return rule.isMatch(text, isDirectory, true);
    }
}
