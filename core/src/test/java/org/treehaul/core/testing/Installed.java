// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;

/** Checks whether this machine has the programs that a test runs. */
public final class Installed {

    private Installed() {}

    /** Skips the test where one of the programs is not installed, with the reason. */
    public static void require(String... programs) {
        for (String program : programs) {
            Assumptions.assumeTrue(
                    Stream.of("/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin")
                            .anyMatch(directory -> Files.isExecutable(Path.of(directory, program))),
                    program + " is not installed");
        }
    }
}
