// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PbsNodesTest {

    @TempDir
    private Path directory;

    /** pbs_tmrsh.c of OpenPBS compares names byte for byte. */
    @ParameterizedTest
    @CsvSource({"pbs_tmrsh, node2, node2.example.org", "/opt/pbs/bin/pbs_tmrsh, node3.example.org, node3",
            "pbs_tmrsh, NODE3, node3", "pbs_tmrsh, node2.example.com, node2.example.com", "pbs_tmrsh, node9, node9",
            "ssh, node2, node2"})
    void aHostGetsTheNameThatTheJobHasForIt(String program, String host, String name) throws Exception {
        Path nodes = Files.writeString(directory.resolve("nodes"), "node1\nnode1\nnode2.example.org\nnode3\n");
        assertThat(PbsNodes.name(program, host, Optional.of(nodes))).isEqualTo(name);
    }

    @Test
    void withoutAFileOfNodesAHostKeepsItsName() {
        assertThat(PbsNodes.name("pbs_tmrsh", "node2", Optional.empty())).isEqualTo("node2");
        assertThat(PbsNodes.name("pbs_tmrsh", "node2", Optional.of(directory.resolve("absent")))).isEqualTo("node2");
    }
}
