// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceUri;

/** An index in a file as versions made it that kept the path of the directory with each entry. */
class OlderIndexTest {

    private static final String FILES = FileTuple.class.getName();
    private static final String TOTALS = DirectoryTotals.class.getName();

    /** The columns that those versions declared, between the number and the marks of a tuple. */
    private static final String COLUMNS_OF_FILES = """
            "directory" BLOB, "name" BLOB, "kind" TEXT, "size" INTEGER NOT NULL DEFAULT 0,
            "blocks" INTEGER NOT NULL DEFAULT 0, "atime" INTEGER NOT NULL DEFAULT 0,
            "mtime" INTEGER NOT NULL DEFAULT 0, "ctime" INTEGER NOT NULL DEFAULT 0, "btime" INTEGER,
            "mode" INTEGER NOT NULL DEFAULT 0, "owner" INTEGER NOT NULL DEFAULT 0, "group" INTEGER NOT NULL DEFAULT 0,
            "links" INTEGER NOT NULL DEFAULT 0, "inode" INTEGER NOT NULL DEFAULT 0,
            "device" INTEGER NOT NULL DEFAULT 0, "target" BLOB, "hash" BLOB, "unread" INTEGER NOT NULL DEFAULT 0,
            "generation" INTEGER NOT NULL DEFAULT 0, "server" BLOB""";
    private static final String COLUMNS_OF_TOTALS = """
            "directory" BLOB, "name" BLOB, "entries" INTEGER NOT NULL DEFAULT 0, "files" INTEGER NOT NULL DEFAULT 0,
            "directories" INTEGER NOT NULL DEFAULT 0, "fileBytes" INTEGER NOT NULL DEFAULT 0,
            "apparentBytes" INTEGER NOT NULL DEFAULT 0, "blocks" INTEGER NOT NULL DEFAULT 0,
            "linked" INTEGER NOT NULL DEFAULT 0, "linkedHere" INTEGER NOT NULL DEFAULT 0, "listing" INTEGER""";

    @AutoClose
    final IndexedTree tree = new IndexedTree();

    @TempDir(factory = InMemory.class)
    Path directory;

    private SpaceUri space;

    @SuppressWarnings("NullAway") // set by JUnit and before each test
    OlderIndexTest() {}

    @BeforeEach
    void makeAnOlderIndex() throws Exception {
        tree.make(w -> w.file(path("a/f"), 10, 1)
                .file(path("a/g"), 20, 1)
                .file(path("a/b/h"), 30, 1)
                .file(path("a/b/c/i"), 40, 1)
                .symlink(path("a/b/l"), path("h")));
        space = SpaceUri.of(directory.resolve("space"));
        assertThat(tree.index(space).added()).isEqualTo(9);
        List<FileTuple> before = IndexedTree.tuples(space);
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            makeOlder(statement, FILES, COLUMNS_OF_FILES);
            makeOlder(statement, TOTALS, COLUMNS_OF_TOTALS);
            statement.execute("PRAGMA user_version = 2");
        }
        assertThat(IndexedTree.tuples(space)).isEqualTo(before);
        assertThat(TupleSpaces.check(space.path()).problems()).isEmpty();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + space.path().resolve("space.db"));
    }

    /** Replaces the tables of a record class by those that earlier versions made. */
    private static void makeOlder(Statement statement, String type, String columns) throws SQLException {
        String name = "\"" + type + "\"";
        statement.execute("CREATE TEMP TABLE kept AS SELECT * FROM " + name);
        statement.execute("DROP VIEW " + name);
        statement.execute("DROP TABLE \"" + type + " $rows\"");
        statement.execute("DROP TABLE \"" + type + " $values directory\"");
        statement.execute("CREATE TABLE " + name + "(\"$id\" INTEGER PRIMARY KEY, " + columns
                + ", \"$expires\" INTEGER, \"$writer\" INTEGER, \"$taker\" INTEGER, \"$check\" INTEGER)");
        statement.execute("INSERT INTO " + name + " SELECT * FROM kept");
        statement.execute("DROP TABLE kept");
        for (String mark : List.of("$expires", "$writer", "$taker")) {
            statement.execute("CREATE INDEX \"" + type + " \"\"" + mark + "\"\"\" ON " + name + "(\"" + mark
                    + "\") WHERE \"" + mark + "\" IS NOT NULL");
        }
        statement.execute("CREATE INDEX \"" + type + " by directory name\" ON " + name + "(\"directory\", \"name\")");
    }

    private void change() throws IOException {
        Files.writeString(tree.resolve("a/f"), "changed");
        Files.delete(tree.resolve("a/b/c/i"));
        Files.delete(tree.resolve("a/b/c"));
        tree.make(w -> w.file(path("a/d/j"), 50, 1).file(path("k"), 60, 1));
    }

    private void assertIsFresh() throws IOException {
        SpaceUri fresh = SpaceUri.of(directory.resolve("fresh"));
        assertThat(tree.index(fresh).added()).isPositive();
        assertThat(IndexedTree.tuples(space)).isEqualTo(IndexedTree.tuples(fresh));
        try (TupleSpace one = TupleSpaces.openToRead(space, FileIndex.SPACE);
                TupleSpace other = TupleSpaces.openToRead(fresh, FileIndex.SPACE)) {
            assertThat(IndexedTree.totals(one)).isEqualTo(IndexedTree.totals(other));
            IndexedTree.assertListingsAreThoseOfTheEntries(one);
        }
    }

    @Test
    void itIsUpdatedAsItIs() throws Exception {
        change();
        assertThat(tree.index(space)).extracting(IndexResult::added, IndexResult::removed).containsExactly(3L, 2L);
        assertIsFresh();
        IndexResult again = tree.index(space);
        assertThat(again.added() + again.changed() + again.removed()).isZero();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("PRAGMA user_version")) {
            assertThat(version.getInt(1)).isEqualTo(2);
        }
        assertThat(TupleSpaces.check(space.path()).problems()).isEmpty();
    }

    @Test
    void recoveringItKeepsEachPathOnce() throws Exception {
        SpaceUri recovered = SpaceUri.of(directory.resolve("recovered"));
        TupleSpaces.recover(space, recovered, FileIndex.SPACE);
        space = recovered;
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet paths = statement.executeQuery(
                        "SELECT count(*), count(DISTINCT \"$value\") FROM \"" + FILES + " $values directory\"")) {
            // Those of the tree, of its three directories, and of the directory that contains it.
            assertThat(paths.getInt(1)).isEqualTo(5).isEqualTo(paths.getInt(2));
        }
        change();
        assertThat(tree.index(space).added()).isEqualTo(3);
        assertIsFresh();
        assertThat(TupleSpaces.check(space.path()).problems()).isEmpty();
    }
}
