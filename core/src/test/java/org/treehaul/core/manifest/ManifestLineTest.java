// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.ByteRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

class ManifestLineTest {

    private static final String HASH = "0123456789abcdef0123456789abcdef";

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static ManifestLine parse(String line) {
        return ManifestLine.parse(bytes(line));
    }

    @Property(tries = 500)
    void everyNameIsReadBack(@ForAll @NotEmpty @Size(max = 20) @ByteRange(min = -128, max = 127) byte[] name) {
        for (int i = 0; i < name.length; i++) {
            // Often one of the characters with an escape; never those that no name contains.
            name[i] = switch (name[i] & 7) {
                case 0 -> (byte) '\\';
                case 1 -> (byte) '\n';
                case 2 -> (byte) '\r';
                default -> name[i] == '/' || name[i] == '.' ? (byte) 'x' : name[i];
            };
        }
        TreePath path = TreePath.of(bytes("dir")).child(name);
        byte[] line = new ManifestLine(ByteString.of(new byte[32]), path).toBytes();
        assertThat(line).endsWith('\n');
        assertThat(Arrays.copyOf(line, line.length - 1)).doesNotContain('\n', '\r');
        assertThat(ManifestLine.parse(Arrays.copyOf(line, line.length - 1)).path()).isEqualTo(path);
    }

    @Test
    void linesOfOtherProgramsAreRead() {
        assertThat(parse(HASH + "  ./a//b/").path()).isEqualTo(TreePath.of(bytes("a/b")));
        assertThat(parse(HASH.toUpperCase(Locale.ROOT) + " *a b").path()).isEqualTo(TreePath.of(bytes("a b")));
        assertThat(parse(HASH + "  a\\n").path()).isEqualTo(TreePath.of(bytes("a\\n")));
        assertThat(parse("\\" + HASH + "  a\\n").path()).isEqualTo(TreePath.of(bytes("a\n")));
        assertThat(parse(HASH + "   a").path()).isEqualTo(TreePath.of(bytes(" a")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "x", HASH, HASH + "  ", HASH + " a", HASH + "0  a", "01  a", HASH + "  /a", HASH + "  ../a",
                    HASH + "  a/../b", HASH + "  .", "\\" + HASH + "  a\\x", "\\" + HASH + "  a\\"})
    void otherLinesAreRefused(String line) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(IllegalArgumentException.class);
    }
}
