// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import java.nio.file.Files;
import java.nio.file.Path;

import org.treehaul.core.testing.TestDirectory;

/** A tree S of five files and a directory "sub", which is a mount that shows the content of "behind", beside S. */
final class TreeWithMount implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path behind;
    private final Bindfs mount;

    /** Makes the tree, with this many files of this size in "behind". */
    TreeWithMount(int count, long size) throws Exception {
        try {
            behind = Transfers.files(resolve("behind"), count, size);
            Transfers.files(resolve("S"), 5, 2000);
            mount = Bindfs.show(behind, Files.createDirectory(resolve("S/sub")));
        } catch (Throwable e) {
            directory.close();
            throw e;
        }
    }

    Path path() {
        return directory.path();
    }

    Path resolve(String name) {
        return directory.resolve(name);
    }

    Path behind() {
        return behind;
    }

    Bindfs mount() {
        return mount;
    }

    @Override
    public void close() {
        try (directory) {
            mount.close();
        }
    }
}
