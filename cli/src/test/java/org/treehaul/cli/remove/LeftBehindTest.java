// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;

class LeftBehindTest {

    @Test
    void theProcessRunsAsRmByTheScript() {
        assertThat(LeftBehind.jvm(Map.of())).contains("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn14m");
    }

    @Test
    void aCollectorThatTheUserNamesReplacesOurs() {
        for (String variable : new String[]{"JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"}) {
            assertThat(LeftBehind.jvm(Map.of(variable, "-Xmx1g -XX:+UseG1GC"))).doesNotContain("-XX:+UseSerialGC")
                    .contains("-XX:TieredStopAtLevel=1");
            assertThat(LeftBehind.jvm(Map.of(variable, "-Xmx1g"))).contains("-XX:+UseSerialGC");
        }
    }
}
