// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

class PathListTest {

    private static SelectedPaths read(String text, boolean isNulSeparated) throws IOException {
        return PathList.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), isNulSeparated,
                "list");
    }

    private static Set<String> paths(SelectedPaths selection) {
        Set<String> paths = new TreeSet<>();
        gather(selection, "", paths);
        return paths;
    }

    private static void gather(SelectedPaths selection, String prefix, Set<String> paths) {
        if (selection.isWhole()) {
            paths.add(prefix.isEmpty() ? "." : prefix);
        }
        for (Map.Entry<ByteString, SelectedPaths> child : selection.children().entrySet()) {
            String name = new String(child.getKey().toBytes(), StandardCharsets.ISO_8859_1);
            gather(child.getValue(), prefix.isEmpty() ? name : prefix + "/" + name, paths);
        }
    }

    @Test
    void linesAreRelativePaths() throws IOException {
        assertThat(paths(read("a\n\n./b/c\nd//e/\n f \n...\n#g\n\u00ff\r\nlast", false))).containsExactlyInAnyOrder("a",
                "b/c", "d/e", " f ", "...", "#g", "\u00ff\r", "last");
    }

    @Test
    void slashesAtTheEndMarkDirectoriesAndFollowedLinks() throws IOException {
        String list = "a\nb\0d/\0link//\0link/x\0";
        SelectedPaths selection = PathList
                .readMarked(new ByteArrayInputStream(list.getBytes(StandardCharsets.ISO_8859_1)), "list");
        assertThat(paths(selection)).containsExactlyInAnyOrder("a\nb", "link/x");
        assertThat(selection.leadsThrough(ByteString.of("d"))).isTrue();
        assertThat(selection.follows(TreePath.root().child("link".getBytes(StandardCharsets.US_ASCII)))).isTrue();
        assertThat(selection.follows(TreePath.root().child("d".getBytes(StandardCharsets.US_ASCII)))).isFalse();
        assertThat(selection.isFollowed()).isFalse();
    }

    @Test
    void pathsWithNulsMayHoldNewlines() throws IOException {
        assertThat(paths(read("a\nb\0./c\0.", true))).containsExactlyInAnyOrder("a\nb", "c", ".");
    }

    @Test
    void theRootItselfSelectsAll() throws IOException {
        assertThat(read("./\n", false).isWhole()).isTrue();
        assertThat(paths(read("", false))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"/etc/passwd,is absolute; list paths relative to the root", "a/../b,leads outside the root",
            "..,leads outside the root", "./../x,leads outside the root"})
    void pathsThatLeadElsewhereAreRefusedWithTheirLine(String path, String reason) {
        assertThatThrownBy(() -> read("ok\n\n" + path + "\nok\n", false)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("list, line 3: '" + path + "'")
                .hasMessageContaining(reason);
    }

    @Test
    void aListWithTheOtherSeparatorIsReported() {
        assertThatThrownBy(() -> read("a\0b\0", false)).hasMessageContaining("line 1").hasMessageContaining("use -0");
        assertThatThrownBy(() -> read("a\0\0b", true)).hasMessageContaining("entry 2 is empty");
    }

    @Test
    void endlessLinesAreRefusedWithoutReadingThemWhole() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }
        };
        assertThatThrownBy(() -> PathList.read(endless, true, "list")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("entry 1 is longer than")
                .hasMessageContaining("separated by newlines");
    }

    @Property(tries = 300)
    void listedPathsAreSelected(
            @ForAll @Size(max = 20) List<@NotEmpty @Size(
                    max = 5) List<@StringLength(min = 1, max = 4) @CharRange(from = 'a', to = 'e') String>> names)
            throws IOException {
        List<String> listed = names.stream().map(parts -> String.join("/", parts)).toList();
        for (boolean isNulSeparated : new boolean[]{false, true}) {
            String separator = isNulSeparated ? "\0" : "\n";
            SelectedPaths expected = SelectedPaths.following();
            listed.forEach(path -> expected.add(TreePath.of(path.getBytes(StandardCharsets.ISO_8859_1))));
            assertThat(paths(read(String.join(separator, listed), isNulSeparated))).isEqualTo(paths(expected))
                    .isEqualTo(new TreeSet<>(listed));
        }
    }
}
