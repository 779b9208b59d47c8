// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests with local jobs, each with a rig of its own. */
abstract class LocalJobsTests {

    TransferCli cli;

    @BeforeEach
    void makeRig() throws Exception {
        cli = TransferCli.make();
    }

    @AfterEach
    void removeRig() throws Exception {
        cli.close();
    }

    /** Submits a copy at a rate that makes it take some seconds on any machine, and returns its id. */
    String submitSlowly(Path source, Path copy) throws Exception {
        return cli.submit("cp", "-a", "--scheduler", "local", "--jobs", 2, "--bandwidth", "120K", source, copy);
    }
}
