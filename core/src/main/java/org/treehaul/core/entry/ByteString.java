// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;

/**
 * An immutable sequence of bytes: a name, a path or a link target exactly as the kernel returns it, in whatever
 * encoding. Ordered as unsigned bytes.
 */
public final class ByteString implements Comparable<ByteString> {

    private static final ByteString EMPTY = new ByteString(new byte[0]);
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final byte[] bytes;

    private ByteString(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the empty sequence. */
    public static ByteString empty() {
        return EMPTY;
    }

    /** Returns a copy of the bytes. */
    public static ByteString of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new ByteString(bytes.clone());
    }

    /** Returns the bytes themselves, which must not change afterwards. */
    static ByteString wrap(byte[] bytes) {
        return new ByteString(bytes);
    }

    /**
     * Returns a copy of the bytes from an index on, up to another one.
     *
     * @throws IndexOutOfBoundsException if they are not the bounds of a range of the array
     */
    @Internal
    public static ByteString of(byte[] bytes, int from, int to) {
        Objects.checkFromToIndex(from, to, bytes.length);
        return from == to ? EMPTY : new ByteString(Arrays.copyOfRange(bytes, from, to));
    }

    /** Returns whether the bytes at an index are these. */
    @Internal
    public boolean has(byte[] other, int at) {
        return at >= 0 && other.length <= bytes.length - at
                && Arrays.equals(bytes, at, at + other.length, other, 0, other.length);
    }

    /** Returns these bytes, followed by others. */
    @Internal
    public ByteString plus(ByteString other) {
        byte[] both = Arrays.copyOf(bytes, bytes.length + other.bytes.length);
        System.arraycopy(other.bytes, 0, both, bytes.length, other.bytes.length);
        return wrap(both);
    }

    /** Returns the UTF-8 encoding of the text. */
    public static ByteString of(String text) {
        return text.isEmpty() ? EMPTY : new ByteString(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the bytes of a path, exactly as the kernel knows it, whatever the encoding of the platform. A relative
     * path stays relative.
     *
     * @throws IllegalArgumentException if the path is not one of the default file system
     */
    public static ByteString of(Path path) {
        return PathBytes.of(path);
    }

    /**
     * Returns these bytes as a path of the default file system, exactly, whatever the encoding of the platform. A
     * trailing slash is lost, as in every {@link Path}.
     *
     * @throws java.nio.file.InvalidPathException if there is a NUL among the bytes
     */
    public Path toPath() {
        return PathBytes.toPath(bytes);
    }

    /** Returns the number of bytes. */
    public int length() {
        return bytes.length;
    }

    /**
     * Returns the byte at the index, -128 to 127.
     *
     * @throws IndexOutOfBoundsException if the index is not between 0 and length-1
     */
    public byte at(int index) {
        return bytes[index];
    }

    /** Returns a copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /**
     * Copies the bytes to an array from an index on.
     *
     * @throws IndexOutOfBoundsException if there is no room
     */
    @Internal
    public void copyTo(byte[] into, int at) {
        System.arraycopy(bytes, 0, into, at, bytes.length);
    }

    /** Returns the text if the bytes are valid UTF-8, else nothing. */
    public Optional<String> utf8() {
        return utf8(bytes);
    }

    static Optional<String> utf8(byte[] bytes) {
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return Optional.of(text.toString());
        } catch (CharacterCodingException invalid) {
            return Optional.empty();
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public int compareTo(ByteString other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    /**
     * Returns the bytes as text that is safe to print and can be parsed again: printable UTF-8 unchanged, a backslash
     * doubled, control characters and bytes that are not UTF-8 as {@code \n}, {@code \t}, {@code \r} or {@code \xHH}.
     */
    @Override
    public String toString() {
        return escape(bytes);
    }

    /** Returns the bytes in the form described at {@link #toString()}. */
    public static String escape(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length + 8);
        int at = 0;
        while (at < bytes.length) {
            int length = Utf8.sequenceLength(bytes, at);
            if (length > 1) {
                String character = new String(bytes, at, length, StandardCharsets.UTF_8);
                if (isPrintable(character.codePointAt(0))) {
                    text.append(character);
                } else {
                    for (int i = at; i < at + length; i++) {
                        appendHex(text, bytes[i]);
                    }
                }
            } else {
                appendSingle(text, bytes[at], length == 1);
            }
            at += Math.max(1, length);
        }
        return text.toString();
    }

    /**
     * Returns text from another process or program in a form that a terminal only displays: control characters are
     * escaped as by {@link #escape}, but a backslash stays single. The result is a single line.
     */
    public static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.codePoints().forEach(codePoint -> {
            if (isPrintable(codePoint)) {
                printable.appendCodePoint(codePoint);
            } else {
                printable.append(escape(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)));
            }
        });
        return printable.toString();
    }

    private static void appendSingle(StringBuilder text, byte value, boolean isAscii) {
        switch (value) {
            case '\n' -> text.append("\\n");
            case '\t' -> text.append("\\t");
            case '\r' -> text.append("\\r");
            case '\\' -> text.append("\\\\");
            default -> {
                if (isAscii && value >= ' ' && value != 0x7F) {
                    text.append((char) value);
                } else {
                    appendHex(text, value);
                }
            }
        }
    }

    /**
     * Returns the bytes for which {@link #toString()} returned this text.
     *
     * @throws IllegalArgumentException if a backslash begins no known escape
     */
    public static ByteString unescape(String text) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int at = 0; at < in.length; at++) {
            if (in[at] != '\\') {
                out[length++] = in[at];
                continue;
            }
            int next = at + 1 < in.length ? in[at + 1] : -1;
            out[length++] = switch (next) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case '\\' -> '\\';
                case 'x' -> hex(in, at + 2);
                default -> throw new IllegalArgumentException("unknown escape after a backslash: " + text);
            };
            at += next == 'x' ? 3 : 1;
        }
        return of(Arrays.copyOf(out, length));
    }

    private static byte hex(byte[] text, int at) {
        int high = at + 1 < text.length ? Character.digit(text[at], 16) : -1;
        int low = high < 0 ? -1 : Character.digit(text[at + 1], 16);
        if (low < 0) {
            throw new IllegalArgumentException("two hexadecimal digits must follow \\x");
        }
        return (byte) (high << 4 | low);
    }

    // Format characters (such as bidirectional overrides) could make a terminal show a name other than the real one.
    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.UNASSIGNED,
                    Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                false;
            default -> true;
        };
    }

    private static void appendHex(StringBuilder text, byte value) {
        text.append("\\x").append(HEX[(value >> 4) & 0xF]).append(HEX[value & 0xF]);
    }
}
