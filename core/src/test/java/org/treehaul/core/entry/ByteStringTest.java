// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ByteStringTest {

    /** Bytes as in names: text, noise, and almost valid UTF-8. */
    @Provide
    Arbitrary<byte[]> bytes() {
        Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        Arbitrary<byte[]> text = Arbitraries.strings()
                .ofMaxLength(20)
                .map(string -> string.getBytes(StandardCharsets.UTF_8));
        Arbitrary<byte[]> edges = Arbitraries
                .of(0x00, 0x0a, 0x20, 0x2f, 0x5c, 0x78, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xed,
                        0xef, 0xf0, 0xf4, 0xf5, 0xff)
                .map(Integer::byteValue)
                .array(Byte[].class)
                .ofMaxSize(12)
                .map(ByteStringTest::unboxed);
        return Arbitraries.oneOf(noise, text, edges);
    }

    private static byte[] unboxed(Byte[] boxed) {
        byte[] bytes = new byte[boxed.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = boxed[i];
        }
        return bytes;
    }

    @Property
    void holdsTheBytesAsTheyAre(@ForAll("bytes") byte[] bytes) {
        ByteString string = ByteString.of(bytes);
        assertThat(string.toBytes()).isEqualTo(bytes);
        assertThat(string.length()).isEqualTo(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            assertThat(string.at(i)).isEqualTo(bytes[i]);
        }
    }

    @Property
    void isEqualAndOrderedByUnsignedBytes(@ForAll("bytes") byte[] a, @ForAll("bytes") byte[] b) {
        ByteString first = ByteString.of(a);
        ByteString second = ByteString.of(b);
        assertThat(Integer.signum(first.compareTo(second))).isEqualTo(Integer.signum(Arrays.compareUnsigned(a, b)));
        assertThat(first.equals(second)).isEqualTo(Arrays.equals(a, b));
        assertThat(ByteString.of(a.clone())).isEqualTo(first).hasSameHashCodeAs(first);
    }

    @Property
    void escapedTextCanBeReadBack(@ForAll("bytes") byte[] bytes) {
        assertThat(unescaped(ByteString.escape(bytes))).isEqualTo(bytes);
    }

    @Property
    void escapedTextIsSafeToPrint(@ForAll("bytes") byte[] bytes) {
        assertThat(ByteString.of(bytes).toString().codePoints()).noneMatch(
                character -> Character.isISOControl(character) || Character.getType(character) == Character.FORMAT
                        || Character.getType(character) == Character.SURROGATE || character == 0x2028
                        || character == 0x2029);
    }

    @Property
    void textIsUtf8IfTheStrictDecoderAcceptsIt(@ForAll("bytes") byte[] bytes) {
        String decoded;
        try {
            decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException invalid) {
            decoded = null;
        }
        assertThat(ByteString.of(bytes).utf8().orElse(null)).isEqualTo(decoded);
        boolean isWellFormed = true;
        for (int at = 0; at < bytes.length && isWellFormed;) {
            int length = Utf8.sequenceLength(bytes, at);
            isWellFormed = length > 0;
            at += length;
        }
        assertThat(isWellFormed).isEqualTo(decoded != null);
    }

    @Example
    void everyCodePointIsOneSequence() {
        for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
            if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
                byte[] bytes = Character.toString(character).getBytes(StandardCharsets.UTF_8);
                if (Utf8.sequenceLength(bytes, 0) != bytes.length) {
                    throw new AssertionError(Integer.toHexString(character));
                }
            }
        }
    }

    @Example
    void escapesReadAsTheyAreDocumented() {
        assertThat(ByteString.of("a b\u00e9\ud83d\ude00")).hasToString("a b\u00e9\ud83d\ude00");
        assertThat(ByteString.of("n\nt\tr\rb\\")).hasToString("n\\nt\\tr\\rb\\\\");
        assertThat(ByteString.of(new byte[]{(byte) 0xff, 'x', 0, 0x1b, 0x7f})).hasToString("\\xffx\\x00\\x1b\\x7f");
        assertThat(ByteString.of("\u202egpj.exe")).hasToString("\\xe2\\x80\\xaegpj.exe");
    }

    @Example
    void arraysAreCopied() {
        byte[] bytes = {1, 2};
        ByteString string = ByteString.of(bytes);
        bytes[0] = 9;
        string.toBytes()[1] = 9;
        assertThat(string.toBytes()).containsExactly(1, 2);
        assertThat(ByteString.of("")).isSameAs(ByteString.empty());
        assertThatThrownBy(() -> string.at(2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static byte[] unescaped(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int at = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            at += Character.charCount(character);
            if (character != '\\') {
                bytes.writeBytes(Character.toString(character).getBytes(StandardCharsets.UTF_8));
                continue;
            }
            char kind = text.charAt(at++);
            switch (kind) {
                case 'n' -> bytes.write('\n');
                case 't' -> bytes.write('\t');
                case 'r' -> bytes.write('\r');
                case '\\' -> bytes.write('\\');
                case 'x' -> {
                    bytes.write(Integer.parseInt(text.substring(at, at + 2), 16));
                    at += 2;
                }
                default -> throw new AssertionError("unknown escape " + kind);
            }
        }
        return bytes.toByteArray();
    }

    @Example
    void bytesAreAppended() {
        ByteString both = ByteString.of("a").plus(ByteString.of("/b"));
        assertThat(both).isEqualTo(ByteString.of("a/b"));
        assertThat(ByteString.empty().plus(ByteString.empty())).isEqualTo(ByteString.empty());
    }
}
