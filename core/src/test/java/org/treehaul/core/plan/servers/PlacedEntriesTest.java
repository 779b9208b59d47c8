// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.places.PlacedFile;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpooledEntry;

class PlacedEntriesTest {

    private static final int HOSTS = 150;

    private final PlacedEntries entries = new PlacedEntries();

    private int number(int... hosts) {
        List<String> names = Arrays.stream(hosts).mapToObj(host -> "h" + host).toList();
        RunBuffer block = new RunBuffer();
        entries.add(new PlacedFile(0, TreePath.of("f".getBytes(StandardCharsets.UTF_8)), 7, 1, new Timestamp(1, 0),
                List.of(new PlacedFile.Part(names, 1))), block);
        return SpooledEntry.decode(block.content(0)).server(0);
    }

    @Test
    void theOrderOfTheHostsOfAFileDoesNotMatter() {
        assertThat(number(2, 1)).isEqualTo(number(1, 2));
        assertThat(entries.table().count()).isEqualTo(2);
    }

    // There are 11,175 pairs of hosts, more than the table numbers.
    @Test
    void eachFileHasANumberOfHostsThatHaveIt() {
        int[] files = new int[HOSTS];
        for (int host = 0; host < HOSTS; host++) {
            for (int other = 0; other < HOSTS; other++) {
                if (other != host) {
                    List<String> servers = entries.table().servers(number(host, other));
                    assertThat(servers).isNotEmpty().isSubsetOf("h" + host, "h" + other);
                    files[host] += servers.size() == 1 && servers.contains("h" + host) ? 1 : 0;
                }
            }
        }
        assertThat(entries.table().count()).isLessThanOrEqualTo(10_001 + HOSTS);
        // Files that can only be bound to one host are not all bound to the same.
        assertThat(Arrays.stream(files).filter(count -> count > 0)).hasSizeGreaterThan(10);
    }
}
