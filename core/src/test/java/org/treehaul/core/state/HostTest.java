// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

/** The name of this host. */
class HostTest {
    @Test
    void theNameIsTheNodeNameOfUname() throws IOException {
        Process uname = new ProcessBuilder("uname", "-n").start();
        String name = new String(uname.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1).strip();
        assertThat(Host.name()).isEqualTo(name).isNotEmpty();
        assertThat(Host.nameOr("unknown")).isEqualTo(name);
    }
}
