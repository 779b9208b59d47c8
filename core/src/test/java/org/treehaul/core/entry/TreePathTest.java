// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class TreePathTest {

    private static final Comparator<List<ByteString>> BY_NAMES = (a, b) -> {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int order = a.get(i).compareTo(b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(a.size(), b.size());
    };

    @Provide
    Arbitrary<List<ByteString>> names() {
        // Few letters, so that paths share names; two of the bytes are next to the slash, for which whole paths would
        // sort differently.
        Arbitrary<ByteString> name = Arbitraries.of('a', 'b', '.', '-', '0', '\u00ff', '\n')
                .array(Character[].class)
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(TreePathTest::latin1)
                .filter(bytes -> !bytes.toString().equals(".") && !bytes.toString().equals(".."));
        return name.list().ofMaxSize(5);
    }

    private static ByteString latin1(Character[] characters) {
        StringBuilder text = new StringBuilder();
        for (char character : characters) {
            text.append(character);
        }
        return ByteString.of(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static TreePath path(List<ByteString> names) {
        TreePath path = TreePath.root();
        for (ByteString name : names) {
            path = path.child(name.toBytes());
        }
        return path;
    }

    private static TreePath path(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    @Property
    void bytesAndNamesAreReadBack(@ForAll("names") List<ByteString> names) {
        TreePath path = path(names);
        assertThat(path.names()).isEqualTo(names);
        assertThat(path.depth()).isEqualTo(names.size());
        assertThat(path.isRoot()).isEqualTo(names.isEmpty());
        assertThat(TreePath.of(path.toBytes())).isEqualTo(path).hasSameHashCodeAs(path);
    }

    @Property
    void orderIsThatOfTheNamesFromTheRootDown(@ForAll("names") List<ByteString> a,
            @ForAll("names") List<ByteString> b) {
        int expected = Integer.signum(BY_NAMES.compare(a, b));
        assertThat(Integer.signum(path(a).compareTo(path(b)))).isEqualTo(expected);
        assertThat(path(a).equals(path(b))).isEqualTo(expected == 0);
    }

    @Property
    void orderHoldsAlsoWhereParentsAreShared(@ForAll("names") List<ByteString> base,
            @ForAll("names") List<ByteString> a, @ForAll("names") List<ByteString> b) {
        TreePath shared = path(base);
        TreePath first = shared;
        for (ByteString name : a) {
            first = first.child(name.toBytes());
        }
        TreePath second = shared;
        for (ByteString name : b) {
            second = second.child(name.toBytes());
        }
        assertThat(Integer.signum(first.compareTo(second))).isEqualTo(Integer.signum(BY_NAMES.compare(a, b)));
        assertThat(first.equals(second)).isEqualTo(a.equals(b));
    }

    @Example
    void directoryComesBeforeItsEntriesAndThoseBeforeItsNextSibling() {
        List<TreePath> paths = new ArrayList<>(
                List.of(path("a-b"), path("a/b"), path("a"), path("a.b"), TreePath.root(), path("a/b/c"), path("A")));
        Collections.sort(paths);
        assertThat(paths).extracting(TreePath::toString).containsExactly(".", "A", "a", "a/b", "a/b/c", "a-b", "a.b");
    }

    @Example
    void partsAreThoseOfTheBytes() {
        TreePath path = path("a/b\n/c");
        assertThat(path.name()).isEqualTo(ByteString.of("c"));
        assertThat(path.nameBytes()).containsExactly('c');
        assertThat(path.parent()).isEqualTo(path("a/b\n")).hasToString("a/b\\n");
        assertThat(path("")).isSameAs(TreePath.root()).hasToString(".");
        assertThat(TreePath.root().toBytes()).isEmpty();
        assertThat(TreePath.root().name()).isEqualTo(ByteString.empty());
        assertThatIllegalStateException().isThrownBy(() -> TreePath.root().parent());
    }

    @Example
    void pathsThatCouldLeadOutAreRefused() {
        for (String bad : new String[]{"/", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a\0b"}) {
            assertThatIllegalArgumentException().as(bad).isThrownBy(() -> path(bad));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> TreePath.root().child(new byte[]{'a', '/', 'b'}));
        assertThatIllegalArgumentException().isThrownBy(() -> TreePath.root().child(new byte[0]));
        assertThat(path("...").depth()).isEqualTo(1);
        assertThat(path("..a/.b").depth()).isEqualTo(2);
    }

    @Example
    void depthIsNoLimit() {
        TreePath path = TreePath.root();
        for (int i = 0; i < 50_000; i++) {
            path = path.child(new byte[]{'d'});
        }
        assertThat(path.toBytes()).hasSize(99_999);
        TreePath again = TreePath.of(path.toBytes());
        assertThat(again).isEqualTo(path).isEqualByComparingTo(path).hasSameHashCodeAs(path);
    }

    @Property
    void aPathStartsWithItselfAndTheDirectoriesOnItsWay(@ForAll("names") List<ByteString> names,
            @ForAll("names") List<ByteString> others) {
        TreePath path = path(names);
        for (int depth = 0; depth <= names.size(); depth++) {
            assertThat(path.startsWith(path(names.subList(0, depth)))).isTrue();
        }
        boolean isOnTheWay = others.size() <= names.size() && names.subList(0, others.size()).equals(others);
        assertThat(path.startsWith(path(others))).isEqualTo(isOnTheWay);
    }

    @Example
    void aPathBeginsWithItsRootAndOneSlash() {
        TreePath path = TreePath.of("a/b".getBytes(StandardCharsets.US_ASCII));
        assertThat(path.below(ByteString.of("/data"))).isEqualTo(ByteString.of("/data/a/b"));
        assertThat(path.below(ByteString.of("/data/"))).isEqualTo(ByteString.of("/data/a/b"));
        assertThat(path.below(ByteString.of("/"))).isEqualTo(ByteString.of("/a/b"));
        assertThat(path.below(ByteString.empty())).isEqualTo(ByteString.of("a/b"));
        assertThat(TreePath.root().below(ByteString.of("/data/"))).isEqualTo(ByteString.of("/data/"));
    }
}
