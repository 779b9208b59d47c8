// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.LustreBytes;
import org.treehaul.core.locality.LustreCalls;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.store.SpaceUri;

/** The servers of files in an index, on calls with which each file system seems to be a Lustre. */
class LocatedIndexTest {

    private static final IndexOptions LOCATED = IndexOptions.defaults().withLocality(true);

    private final LustreCalls calls = new LustreCalls(Linux.calls()).layout("one", LustreBytes.striped(65_536, 1))
            .layout("both", LustreBytes.striped(65_536, 1, 2));

    @TempDir
    private Path directory;

    private IndexedTree tree = new IndexedTree();

    @BeforeEach
    void make() throws IOException {
        make(tree);
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private void make(IndexedTree made) throws IOException {
        made.use(calls);
        for (String name : List.of("one", "both", "none")) {
            Files.writeString(made.resolve(name), "data");
        }
        Files.createDirectory(made.resolve("d"));
    }

    private void assertServers(IndexedTree of) {
        assertThat(of.paths("server=OST0001")).containsExactly("both", "one");
        assertThat(of.paths("server=OST0002")).containsExactly("both");
        assertThat(of.paths("server!=OST0002", "kind=regular")).containsExactly("none", "one");
        assertThat(of.paths("server=*2,OST00*", "name!=one")).containsExactly("both");
        assertThat(of.paths("server=", "kind=regular")).containsExactly("none");
    }

    @Test
    void onlyARunThatIsAskedStoresServersAndAnotherKeepsThem() throws IOException {
        tree.update();
        assertThat(tree.paths("server!=")).isEmpty();
        assertThat(tree.update(LOCATED).changed()).isEqualTo(2);
        assertServers(tree);
        tree.assertIsFresh(LOCATED);
        assertThat(tree.update(LOCATED).changed()).isZero();
        assertThat(tree.update().changed()).isZero();
        assertServers(tree);
        // The servers of a changed file are unknown.
        Files.writeString(tree.resolve("one"), "more", StandardOpenOption.APPEND);
        assertThat(tree.update().changed()).isEqualTo(1);
        assertThat(tree.paths("server=", "kind=regular")).containsExactly("none", "one");
    }

    @Test
    void aFileThatHasMovedGetsItsNewServers() {
        tree.update(LOCATED);
        calls.layout("one", LustreBytes.striped(65_536, 7));
        assertThat(tree.update(LOCATED).changed()).isEqualTo(1);
        assertThat(tree.paths("server=OST0007")).containsExactly("one");
        assertThat(tree.paths("server=OST0001")).containsExactly("both");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileWithoutServersLosesThoseOfAnEarlierRunUnlessItsLayoutCannotBeRead(boolean isInParts) {
        tree.limit(isInParts ? IndexedTree.TINY : IndexLimits.DEFAULTS);
        tree.update(LOCATED);
        calls.layout("one", LustreBytes.released());
        assertThat(tree.update(LOCATED, Fault.on(Call.LGETXATTR).named("both").fails(Errno.EIO)).changed())
                .isEqualTo(1);
        assertThat(tree.failures()).containsExactly("ERROR both");
        assertThat(tree.paths("server=", "kind=regular")).containsExactly("none", "one");
        assertThat(tree.paths("server=OST0002")).containsExactly("both");
    }

    @Test
    void aFileWhoseLayoutCannotBeReadIsIndexedWithoutServers() {
        calls.layout("both", ByteString.of("?"));
        tree.update(LOCATED, Fault.on(Call.LGETXATTR).named("one").fails(Errno.EIO));
        assertThat(tree.failures()).containsExactlyInAnyOrder("ERROR both", "ERROR one");
        assertThat(tree.paths("server=", "kind=regular")).containsExactly("both", "none", "one");
    }

    @Test
    void groupsHaveTheServersOfFiles() {
        tree.update(LOCATED);
        try (FileGroups groups = tree.index().groupBy(Queries.parse("kind=regular"), FileField.SERVER)) {
            assertThat(groups.stream().map(FileGroup::value)).containsExactlyInAnyOrder("OST0001", "OST0001,OST0002",
                    "");
        }
    }

    // Both find a name of a server in the middle of a value by functions of their own.
    @Test
    void aDurableSpaceAnswersTheSame() throws IOException {
        SpaceUri uri = SpaceUri.of(directory.resolve("space"));
        try (IndexedTree durable = new IndexedTree(TupleSpaces.open(uri, FileIndex.SPACE))) {
            make(durable);
            durable.update(LOCATED);
            assertServers(durable);
        }
    }
}
