// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.nio.file.Path;
import java.util.function.Consumer;

import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** A temporary tree to walk, deleted on close. */
final class WalkedTree implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();

    /** Creates entries in the tree. */
    void make(Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            making.accept(writer);
        }
    }

    Root root() {
        return Root.of(Walks.path(directory.path()));
    }

    Path resolve(String name) {
        return directory.resolve(name);
    }

    Walks.Seen walk(WalkOptions options, Fault... faults) {
        return Walks.walk(FaultInjectingCalls.over(Linux.calls(), faults), options, root());
    }

    @Override
    public void close() {
        directory.close();
    }
}
