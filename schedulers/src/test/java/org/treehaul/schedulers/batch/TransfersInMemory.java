// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.treehaul.core.testing.TestDirectory;

/** Transfers by hand on a tmpfs: each transfer syncs its file system, and the disk of the machine may be busy. */
abstract class TransfersInMemory extends TransfersByHand {

    TestDirectory place;

    @BeforeEach
    void useMemory() throws IOException {
        place = TestDirectory.onTmpfs();
        directory = place.path();
        makeDirectories();
    }

    @AfterEach
    void close() {
        place.close();
    }
}
