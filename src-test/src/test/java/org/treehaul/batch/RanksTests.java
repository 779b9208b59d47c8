// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests of one command by ranks that are processes of this host, each with a rig of its own. */
abstract class RanksTests {

    private final Object[] command;
    TransferRanks ranks;
    TransferCli cli;

    RanksTests(Object... command) {
        this.command = command;
    }

    @BeforeEach
    void makeRanks() throws Exception {
        ranks = TransferRanks.of(command);
        cli = ranks.cli();
    }

    @AfterEach
    void removeRanks() throws Exception {
        if (ranks != null) {
            ranks.close();
        }
    }
}
