// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** Two equal trees: a GNU program changes one of them, treehaul the other, and they must be equal again. */
final class EqualTrees implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();
    private final String script;
    private final String list;
    final Cli gnu = new Cli(directory.directory("gnu"));
    final Cli ours = new Cli(directory.directory("ours"));

    /**
     * Creates two empty directories.
     *
     * @param script the commands of a shell that make a tree
     * @param list the commands that print everything about a tree that must be equal
     */
    EqualTrees(String script, String list) {
        this.script = script;
        this.list = list;
    }

    /** Makes the trees. */
    void make() throws Exception {
        gnu.sh(script).expect(0);
        copyTo(path().resolve("ours"));
    }

    /** Makes a tree that is equal to the one of GNU, in an existing directory: a copy takes one process, not twenty. */
    void copyTo(Path place) throws Exception {
        Run.of("cp", "-a", path() + "/gnu/.", place).expect(0);
    }

    /** Runs the same commands of a shell in both trees. */
    void both(String commands) throws Exception {
        gnu.sh(commands).expect(0);
        ours.sh(commands).expect(0);
    }

    /** Returns the directory that contains both trees, {@code gnu} and {@code ours}. */
    Path path() {
        return directory.path();
    }

    /** Runs a line in each tree: both succeed or both fail, and the trees are equal afterwards. */
    void same(String theirs, String mine, int gnuCode) throws Exception {
        same(gnu.sh(theirs).expect(gnuCode), ours.sh(mine), gnuCode);
    }

    /** Does the same with the treehaul of {@link WarmProgram}. */
    void sameWarmly(String theirs, String mine, int gnuCode) throws Exception {
        same(gnu.sh(theirs).expect(gnuCode), ours.warmly(mine), gnuCode);
    }

    private void same(Run their, Run my, int gnuCode) throws Exception {
        assertThat(my.code() == 0).as(my.err() + their.err()).isEqualTo(gnuCode == 0);
        assertThat(ours.sh(list).expect(0).out()).as(my.err()).isEqualTo(gnu.sh(list).expect(0).out());
    }

    @Override
    public void close() {
        directory.close();
    }
}
