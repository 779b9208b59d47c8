// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class AddressSpaceTest {

    private static AddressSpace of(String soft) {
        return AddressSpace.of(List.of("Limit                     Soft Limit           Hard Limit           Units     ",
                "Max cpu time              unlimited            unlimited            seconds   ",
                "Max address space         " + soft + "           unlimited            bytes     "));
    }

    @Test
    void underALimitTheJvmReservesLessAndTheHeapGetsAQuarter() {
        assertThat(of("4096000000").options(Map.of())).containsExactly("-Xmx976m", "-XX:CompressedClassSpaceSize=48m",
                "-XX:ReservedCodeCacheSize=64m");
        Map<String, String> environment = new HashMap<>();
        of("4096000000").limit(environment);
        assertThat(environment).containsEntry("MALLOC_ARENA_MAX", "2");
    }

    @Test
    void aHeapAndANumberOfArenasThatTheUserNamesStay() {
        assertThat(of("4096000000").options(Map.of("JDK_JAVA_OPTIONS", "-Xmx1g"))).noneMatch(o -> o.startsWith("-Xmx"));
        Map<String, String> environment = new HashMap<>(Map.of("MALLOC_ARENA_MAX", "8"));
        of("4096000000").limit(environment);
        assertThat(environment).containsEntry("MALLOC_ARENA_MAX", "8");
    }

    @Test
    void withoutALimitOrUnderOneThatIsWideNothingIsAdded() {
        for (AddressSpace space : List.of(of("unlimited"), of("8192000000"), AddressSpace.of(List.of()))) {
            assertThat(space.isShort()).isFalse();
            assertThat(space.options(Map.of())).isEmpty();
            Map<String, String> environment = new HashMap<>();
            space.limit(environment);
            assertThat(environment).isEmpty();
        }
    }

    @Test
    void theAdviceNamesTheLimitAndTheRemedy() {
        assertThat(of("409600000").advice()).contains("ulimit -v is 400000 kB", "Raise the limit to", "-Xmx256m");
    }
}
