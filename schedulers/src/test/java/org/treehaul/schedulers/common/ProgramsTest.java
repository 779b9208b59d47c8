// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;

class ProgramsTest {

    @Test
    void aDirectoryOfThePathWhoseNameTheLocaleLacksHidesNoOther() {
        // No encoding has half a pair of surrogates.
        Programs programs = new Programs(Map.of("PATH", "/home/\ud800/bin:/usr/bin:/bin"));
        assertThat(programs.find("env")).hasValueSatisfying(env -> assertThat(env).isExecutable());
        assertThat(programs.find("no-such-program")).isEmpty();
    }
}
