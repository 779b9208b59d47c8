// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the directories of {@code @TempDir} in memory if it has room, for tests that sync thousands of times and do not
 * ask what a disk keeps.
 */
public final class InMemory implements TempDirFactory {

    private static final long BYTES = 256L << 20;
    private static final long INODES = 10_000;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return Files.createTempDirectory(TestDirectory.place(BYTES, INODES), "treehaul");
    }
}
