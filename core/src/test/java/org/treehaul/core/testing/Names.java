// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;

/** Names that have caused errors in programs. */
public final class Names {

    /** A name of the maximum length, NAME_MAX bytes. */
    public static final ByteString LONGEST = ByteString.of("n".repeat(255));

    /** A name of the maximum length, with three-byte characters. */
    public static final ByteString LONGEST_UTF8 = ByteString.of("\u20ac".repeat(85));

    /** Not UTF-8: a byte that begins no sequence, and Latin-1. */
    public static final ByteString INVALID_UTF8 = bytes(0xff, 0xfe, 'x', 0xe4);

    private static final List<ByteString> HOSTILE = Stream.concat(
            Stream.of("new\nline", "carriage\rreturn", "tab\tstop", "'single'", "\"double\"", "`tick`", "$(touch PW)",
                    "; touch PW;", "| touch PW", "-rf", "--", "-", "@file", "#hash", "%s%n", "!bang", "*", "?", "[a-z]",
                    "{a,b}", "~", "back\\slash", "trailing\\", " ", " leading", "trailing ", "two  spaces", "...",
                    ". .", ".hidden", "..x", "a:b", "host:file", "=", "&", "\u0001\u001b[31mred", "\u007f", "\u00e9",
                    "e\u0301", "\u202egnp.exe", "\ud83d\ude00", "\ud83c\udff4\u200d\u2620\ufe0f", "\u65e5\u672c\u8a9e",
                    "NULL", "con", "lost+found", "\ufeffbom").map(ByteString::of),
            Stream.of(INVALID_UTF8, bytes(0x80), bytes(0xc0, 0xae), bytes(0xed, 0xa0, 0x80), bytes('a', 0xc3),
                    bytes(0xf5, 0x80, 0x80, 0x80), LONGEST, LONGEST_UTF8))
            .toList();

    private Names() {}

    /** Returns all of these names. */
    public static List<ByteString> hostile() {
        return HOSTILE;
    }

    /** Returns the bytes, each given as 0 to 255. */
    public static ByteString bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return ByteString.of(bytes);
    }

    /** Returns the paths joined by a slash; an empty one is left out. */
    public static ByteString join(ByteString directory, ByteString name) {
        if (directory.length() == 0 || name.length() == 0) {
            return directory.length() == 0 ? name : directory;
        }
        byte[] joined = Arrays.copyOf(directory.toBytes(), directory.length() + 1 + name.length());
        joined[directory.length()] = '/';
        System.arraycopy(name.toBytes(), 0, joined, directory.length() + 1, name.length());
        return ByteString.of(joined);
    }

    /** Returns the path joined with a name in UTF-8. */
    public static ByteString join(ByteString directory, String name) {
        return join(directory, ByteString.of(name));
    }
}
