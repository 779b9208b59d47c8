// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.testing.Campaign;

/** The values as GlusterFS 3 to 11 write them (dht-common.c, afr-inode-read.c, ec-combine.c, posix-inode-fd-ops.c). */
class PathInfoTest {

    private static final String DISTRIBUTED = "(<DISTRIBUTE:v-dht> <POSIX(/bricks/b2):n2:/bricks/b2/d/f>)";
    private static final String REPLICATED = "(<DISTRIBUTE:v-dht> (<REPLICATE:v-replicate-1> "
            + "<POSIX(/bricks/b3):n3:/bricks/b3/d/f> <POSIX(/bricks/b4):n4.site.org:/bricks/b4/d/f>))";
    private static final String DISPERSED = "(<EC:v-disperse-0> <POSIX(/b1):n1:/b1/d/f> <POSIX(/b2):n2:/b2/d/f>"
            + " <POSIX(/b3):n3:/b3/d/f>)";
    private static final String STRIPED = "(<DISTRIBUTE:v-dht> (<STRIPE:v-stripe-0:[131072]> "
            + "(<REPLICATE:v-replicate-0> <POSIX(/b1):n1:/b1/d/f> <POSIX(/b2):n2:/b2/d/f>) <POSIX(/b3):n3:/b3/d/f>))";

    private static DataLayout parse(String value, String name) throws LayoutException {
        return PathInfo.parse(ByteString.of(value), ByteString.of(name));
    }

    private static DataLayout parse(String value) throws LayoutException {
        return parse(value, "f");
    }

    private static DataPlace place(String server, String path) {
        return new DataPlace(server, ByteString.of(path));
    }

    @Test
    void distributed() throws LayoutException {
        assertThat(parse(DISTRIBUTED))
                .isEqualTo(DataLayout.of("glusterfs", DataExtent.whole(Holders.of(place("n2", "/bricks/b2/d/f")))));
    }

    @Test
    void aVolumeOfOneBrick() throws LayoutException {
        assertThat(parse("<POSIX(/b):host:/b/f>").servers()).containsExactly("host");
        assertThat(parse("<POSIX(/b):host:/b/f>\0").servers()).as("with the end of the string").containsExactly("host");
    }

    @Test
    void replicated() throws LayoutException {
        assertThat(parse(REPLICATED))
                .isEqualTo(DataLayout.of("glusterfs", DataExtent.whole(new Holders(Holders.Kind.COPIES,
                        List.of(place("n3", "/bricks/b3/d/f"), place("n4.site.org", "/bricks/b4/d/f"))))));
    }

    @Test
    void dispersed() throws LayoutException {
        DataLayout layout = parse(DISPERSED);
        assertThat(layout.servers()).containsExactly("n1", "n2", "n3");
        assertThat(layout.extents().getFirst().holders().getFirst().kind()).isEqualTo(Holders.Kind.FRAGMENTS);
    }

    @Test
    void striped() throws LayoutException {
        DataLayout layout = parse(STRIPED);
        assertThat(layout.serverOf(0)).contains("n1");
        assertThat(layout.serverOf(131_072)).contains("n3");
        assertThat(layout.servers(131_071, 1)).containsExactly("n1", "n2");
    }

    @Test
    void aTranslatorThatPassesOnTheAnswerIsNoPart() throws LayoutException {
        assertThat(parse("(<UNIFY:v-x> " + DISTRIBUTED + ")")).isEqualTo(parse(DISTRIBUTED));
    }

    @Test
    void namesMayContainTheCharactersOfTheFormat() throws LayoutException {
        String name = "a> <POSIX(/evil):evil:/evil/b>) (c";
        DataLayout layout = parse("(<DISTRIBUTE:v-dht> <POSIX(/b):n1:/b/d> e/" + name + ">)", name);
        assertThat(layout.servers()).containsExactly("n1");
        assertThat(layout.extents().getFirst().holders().getFirst().places().getFirst().path())
                .isEqualTo(ByteString.of("/b/d> e/" + name));
        // Through a symbolic link, the path has another name.
        assertThat(parse(DISTRIBUTED, "link").servers()).containsExactly("n2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "x", "(", "()", "(<DISTRIBUTE:v-dht>)", "(<DISTRIBUTE:v-dht> )", "(<DISTRIBUTE:v-dht",
                    "<POSIX(/b):n1:/b/f", "<POSIX(/b):n1:/b/f> x", "<POSIX(/b):n1:/b/f>)", "<POSIX(/b):n1>",
                    "<POSIX(/b)n1:/b/f>", "<POSIX(/b:n1:/b/f>", "<POSIX(/b)::/b/f>", "<POSIX(/b):n 1:/b/f>",
                    "<POSIX(/b):n1,n2:/b/f>", "<POSIX(/b):n\u001b[31m:/b/f>", "<POSIX(/b):n1:>", "<POSIX(/b):n1:b/f>",
                    "(<DISTRIBUTE:v> <POSIX(/b):n1:/b/f> <POSIX(/c):n2:/c/f>)", "(<STRIPE:v:[0]> <POSIX(/b):n1:/b/f>)",
                    "(<STRIPE:v> <POSIX(/b):n1:/b/f>)", "(<STRIPE:v:[99999999999999999999]> <POSIX(/b):n1:/b/f>)",
                    "(<REPLICATE:v> (<STRIPE:v:[4096]> <POSIX(/b):n1:/b/f> <POSIX(/c):n2:/c/f>))",
                    "((((((((((<POSIX(/b):n1:/b/f>))))))))))"})
    void malformedValuesAreRefused(String value) {
        assertThatThrownBy(() -> parse(value)).isInstanceOf(LayoutException.class)
                .hasMessageStartingWith("glusterfs.pathinfo: ")
                .hasMessageNotContaining("\u001b");
    }

    @Test
    void theMessageShowsOnlyTheBeginningOfALongValue() {
        assertThatThrownBy(() -> parse("(".repeat(60_000))).isInstanceOf(LayoutException.class)
                .hasMessageEndingWith("... (60000 bytes)")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(400));
        String deep = "(<D:v> ".repeat(9_000);
        assertThatThrownBy(() -> parse(deep)).hasMessageContaining("too many levels");
    }

    @Test
    void damagedValuesThrowNothingElse() {
        damage(20_000, 3);
    }

    @Tag("campaign")
    @Test
    void manyDamagedValuesThrowNothingElse() {
        damage(Campaign.cases(20_000_000), Campaign.seed(11));
    }

    private static void damage(int cases, long seed) {
        List<String> values = List.of(DISTRIBUTED, REPLICATED, DISPERSED, STRIPED);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < cases; i++) {
            ByteString damaged = ByteString
                    .of(Damage.of(random, ByteString.of(values.get(i % values.size())).toBytes(), "()<>:[] \0/"));
            try {
                DataLayout layout = PathInfo.parse(damaged, ByteString.of("f"));
                assertThat(layout.servers()).isNotEmpty();
            } catch (LayoutException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(cases / 10, cases - 1);
    }
}
