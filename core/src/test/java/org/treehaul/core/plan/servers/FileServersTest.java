// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Holders;

class FileServersTest {

    private static Holders copies(String... servers) {
        return new Holders(Holders.Kind.COPIES, Stream.of(servers).map(DataPlace::on).toList());
    }

    private static DataExtent striped(long from, long to, long stripe, String... servers) {
        return new DataExtent(from, to - from, stripe, servers.length,
                Stream.of(servers).map(server -> copies(server)).toList(), "");
    }

    private static List<String> servers(long from, long to, DataExtent... extents) {
        return FileServers.serversOf(new DataLayout("lustre", List.of(extents), false), from, to);
    }

    @Test
    void allCopiesOfAFileAreServersOfIt() {
        assertThat(servers(0, 10, DataExtent.whole(copies("a", "b")))).containsExactly("a", "b");
    }

    @Test
    void aRangeInOneStripeHasItsServer() {
        DataExtent extent = striped(0, Long.MAX_VALUE, 100, "a", "b", "c");
        assertThat(servers(0, 100, extent)).containsExactly("a");
        assertThat(servers(100, 150, extent)).containsExactly("b");
        assertThat(servers(310, 400, extent)).containsExactly("a");
        assertThat(servers(50, 101, extent)).isEmpty();
        assertThat(servers(0, 1000, extent)).isEmpty();
    }

    @Test
    void aRangeOverSeveralExtentsIsSpread() {
        DataExtent[] extents = {striped(0, 100, 0, "a"), striped(100, Long.MAX_VALUE, 0, "b")};
        assertThat(servers(0, 100, extents)).containsExactly("a");
        assertThat(servers(100, 300, extents)).containsExactly("b");
        assertThat(servers(0, 101, extents)).isEmpty();
    }

    @Test
    void mirrorsAreServersOfARangeThatTheyContain() {
        assertThat(servers(0, 100, striped(0, 100, 0, "a"), striped(0, 100, 0, "b"), striped(0, 50, 0, "c")))
                .containsExactly("a", "b");
    }

    @Test
    void withoutExtentsOrNamesNoServerIsKnown() {
        assertThat(servers(0, 100)).isEmpty();
        assertThat(servers(0, 100, new DataExtent(0, Long.MAX_VALUE, 100, 4, List.of(), "pool"))).isEmpty();
    }
}
