// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;

class DataLayoutTest {

    private static Holders on(String... servers) {
        return new Holders(Holders.Kind.COPIES, List.of(servers).stream().map(DataPlace::on).toList());
    }

    private static DataExtent striped(long offset, long length, long size, int count) {
        List<Holders> holders = IntStream.range(0, count).mapToObj(i -> on("s" + i)).toList();
        return new DataExtent(offset, length, size, count, holders, "");
    }

    @Test
    void aFileThatIsNotStripedIsOnItsHolders() {
        DataLayout layout = DataLayout.of("k", DataExtent.whole(on("a", "b")));
        assertThat(layout.servers()).containsExactly("a", "b");
        assertThat(layout.serverOf(0)).contains("a");
        assertThat(layout.serverOf(1L << 60)).contains("a");
        assertThat(layout.servers(5, 0)).isEmpty();
    }

    @Test
    void stripesCountFromTheBeginningOfTheFile() {
        DataLayout layout = new DataLayout("k",
                List.of(new DataExtent(0, 100, 0, 1, List.of(on("first")), ""), striped(100, 300, 50, 3)), false);
        assertThat(layout.serverOf(99)).contains("first");
        // The third stripe.
        assertThat(layout.serverOf(100)).contains("s2");
        assertThat(layout.serverOf(150)).contains("s0");
        assertThat(layout.serverOf(400)).isEmpty();
        assertThat(layout.servers(99, 2)).containsExactly("first", "s2");
        assertThat(layout.servers(149, 2)).containsExactly("s2", "s0");
        assertThat(layout.servers(400, 1000)).isEmpty();
        assertThat(layout.servers()).containsExactly("first", "s2", "s0", "s1");
    }

    @Test
    void aRangeHasTheServersOfItsBytes() {
        Random random = new Random(5);
        for (int i = 0; i < 200; i++) {
            long start = random.nextInt(40);
            DataLayout layout = new DataLayout("k", List.of(
                    striped(start, 1 + random.nextInt(60), 1 + random.nextInt(9), 1 + random.nextInt(5)),
                    striped(random.nextInt(40), 1 + random.nextInt(60), 1 + random.nextInt(9), 1 + random.nextInt(5))),
                    false);
            long from = random.nextInt(60);
            long length = random.nextInt(60);
            Set<String> expected = new TreeSet<>();
            for (long at = from; at < from + length; at++) {
                for (DataExtent extent : layout.extents()) {
                    extent.holdersOf(at).ifPresent(holders -> expected.add(holders.places().getFirst().server()));
                }
            }
            assertThat(new TreeSet<>(layout.servers(from, length))).as("%s: %d bytes at %d", layout, length, from)
                    .isEqualTo(expected);
        }
    }

    @Test
    void unknownHoldersAreNoServers() {
        DataLayout layout = DataLayout.of("cephfs", new DataExtent(0, Long.MAX_VALUE, 4096, 2, List.of(), "data"));
        assertThat(layout.servers()).isEmpty();
        assertThat(layout.serverOf(0)).isEmpty();
    }

    @Test
    void wrongValuesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new DataPlace("a,b", ByteString.empty()));
        assertThatIllegalArgumentException().isThrownBy(() -> DataPlace.on(""));
        assertThatIllegalArgumentException().isThrownBy(() -> DataPlace.on("n".repeat(256)));
        assertThatIllegalArgumentException().isThrownBy(() -> DataPlace.on("a\u001b[2J"))
                .withMessage("no name of a server: a\\x1b[2J");
        assertThatIllegalArgumentException().isThrownBy(() -> new Holders(Holders.Kind.COPIES, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new DataExtent(0, 0, 0, 1, List.of(), ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new DataExtent(-1, 1, 0, 1, List.of(), ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new DataExtent(2, Long.MAX_VALUE, 0, 1, List.of(), ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new DataExtent(0, 1, 0, 2, List.of(), ""));
        assertThatIllegalArgumentException().isThrownBy(() -> new DataExtent(0, 1, 1, 2, List.of(on("a")), ""));
        DataLayout layout = DataLayout.of("k", DataExtent.whole(on("a")));
        assertThatThrownBy(() -> layout.servers(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> layout.servers(2, Long.MAX_VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
