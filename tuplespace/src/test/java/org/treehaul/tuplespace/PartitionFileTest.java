// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.PartitionProvider;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces over stores that a file lists, and stores that are missing, exchanged, foreign or old. */
class PartitionFileTest {
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults();

    @TempDir
    Path directory;

    private Path file;
    private SpaceUri uri;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionFileTest() {}

    @BeforeEach
    void name() {
        file = directory.resolve("list");
        uri = SpaceUri.parse("partitions:" + file);
    }

    private void list(String... lines) throws IOException {
        Files.write(file, List.of(lines));
    }

    private static void fails(Reason reason, String message, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
                .withMessageContaining(message);
    }

    private void split(int partition) {
        PartitionedStore[] store = new PartitionedStore[1];
        try (TupleSpace space = Space.over(listener -> {
            store[0] = (PartitionedStore) new PartitionProvider().open(uri, OPTIONS.store(), listener);
            return store[0];
        }, OPTIONS)) {
            assertThat(space.count(SpaceFixture.JOBS)).isNotNegative();
            store[0].split(partition);
        }
    }

    private void write(int number) {
        try (TupleSpace space = TupleSpaces.open(uri, OPTIONS)) {
            for (int i = 0; i < number; i++) {
                space.write(new Job(i, "s" + i % 3, null));
            }
        }
    }

    @Test
    void aFileListsTheStoresAndTheKeys() throws Exception {
        list("# three disks", "", "first=2", "key=" + Job.class.getName() + ".state", "a",
                "sqlite:" + directory.resolve("b"), directory.resolve("c").toString());
        assertThat(TupleSpaces.exists(uri)).isFalse();
        write(30);
        assertThat(TupleSpaces.exists(uri)).isTrue();
        split(0);
        try (TupleSpace space = TupleSpaces.openToRead(uri, OPTIONS)) {
            assertThat(space.count(SpaceFixture.JOBS.equal("state", "s1"))).isEqualTo(10);
            assertThat(space.count(Template.of(Record.class))).isEqualTo(30);
            fails(Reason.DENIED, "reading only", () -> space.take(SpaceFixture.JOBS, Duration.ZERO));
        }
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
        // All tuples of a state are in one partition.
        for (String name : List.of("a", "b", "c")) {
            try (TupleSpace part = TupleSpaces.open(directory.resolve(name), OPTIONS)) {
                assertThat(part.count(SpaceFixture.JOBS) % 10).isZero();
                assertThat(part.count(Template.of(Record.class))).isEqualTo(part.count(SpaceFixture.JOBS));
            }
        }
    }

    @Test
    void aWrongListIsAnErrorThatNamesTheLine() throws Exception {
        fails(Reason.ABSENT, "no list of partitions", () -> TupleSpaces.open(uri, OPTIONS));
        list("first=2");
        fails(Reason.PROVIDER, "0 stores", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "first=x");
        fails(Reason.PROVIDER, "line 2", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "key=" + Job.class.getName() + ".size");
        fails(Reason.PROVIDER, "no component \"size\"", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "a");
        fails(Reason.PROVIDER, "twice", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "partitions:b");
        fails(Reason.PROVIDER, "line 2: a space over several stores", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "postgresql://u:secret@host/db");
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> Partitions.status(uri))
                .withMessageContaining("line 2: the address of a store contains a password")
                .withMessageNotContaining("secret");
        for (SpaceUri store : List.of(SpaceUri.of(directory.resolve("a\nb")), SpaceUri.of(directory.resolve("a ")),
                SpaceUri.parse("postgresql://u:secret@host/db"))) {
            fails(Reason.PROVIDER, store.scheme().equals(SpaceUri.SQLITE) ? "line break" : "password",
                    () -> Partitions.create(directory.resolve("new"), List.of(store), 1, 0));
        }
        list("mem:a");
        fails(Reason.PROVIDER, "no store on the class path accepts mem:a", () -> TupleSpaces.open(uri, OPTIONS));
        assertThat(directory.toFile().list()).containsExactly("list");
    }

    @Test
    void storesThatAreMissingExchangedForeignOrOldAreFoundAndNamed() throws Exception {
        list("first=1", "a", "b", "c");
        write(30);
        Path backup = directory.resolve("backup");
        Files.createDirectory(backup);
        Files.copy(directory.resolve("a/space.db"), backup.resolve("space.db"));
        split(0);
        list("b", "a", "c");
        fails(Reason.DAMAGED, "store of partition 0", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "c", "b");
        fails(Reason.DAMAGED, "store of partition 1", () -> TupleSpaces.open(uri, OPTIONS));
        list("a", "d", "c");
        fails(Reason.ABSENT, "store of partition 1", () -> TupleSpaces.open(uri, OPTIONS));
        list("a");
        fails(Reason.ABSENT, "partition 1 is missing", () -> TupleSpaces.open(uri, OPTIONS));
        try (TupleSpace foreign = TupleSpaces.open(directory.resolve("e"), OPTIONS)) {
            foreign.write(new Job(1, "foreign", null));
        }
        list("a", "b", "e");
        fails(Reason.DAMAGED, "another space", () -> split(0));
        list("a", "b", "c");
        split(0);
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
        try (TupleSpace part = TupleSpaces.open(directory.resolve("b"), OPTIONS)) {
            part.write(new Job(1, "moved by hand", null));
            for (int i = 0; i < 4; i++) {
                part.write(new Job(100 + i, "moved by hand", null));
            }
        }
        assertThat(TupleSpaces.check(uri).problems()).singleElement().asString().contains("partition 1:", "belong");
    }

    @Test
    void aSpaceThatIsMadeAnewWhereTheFirstDiskIsMissingDoesNotTakeTheOtherStores() throws Exception {
        list("first=1", "a", "b");
        write(30);
        Path old = directory.resolve("old");
        copy(directory.resolve("a"), old);
        split(0);
        Path mounted = directory.resolve("mounted");
        Files.move(directory.resolve("a"), mounted);
        fails(Reason.ABSENT, "the store of partition 0, sqlite:" + directory + "/a, is missing",
                () -> TupleSpaces.open(uri, OPTIONS));
        fails(Reason.ABSENT, "is its disk mounted", () -> TupleSpaces.bulkLoad(uri, OPTIONS));
        assertThat(directory.resolve("a")).doesNotExist();
        // As another program may leave it.
        TupleSpaces.open(SpaceUri.of(directory.resolve("a")), OPTIONS).close();
        fails(Reason.DAMAGED, "the disk of partition 0 is not mounted", () -> TupleSpaces.open(uri, OPTIONS));
        for (String name : List.of("old", "mounted")) {
            Files.move(directory.resolve("a"), directory.resolve("not " + name));
            Files.move(directory.resolve(name), directory.resolve("a"));
            if (name.equals("old")) {
                fails(Reason.DAMAGED, "has been in use", () -> TupleSpaces.open(uri, OPTIONS));
            }
        }
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
        try (TupleSpace space = TupleSpaces.open(uri, OPTIONS)) {
            assertThat(space.count(SpaceFixture.JOBS)).isEqualTo(30);
        }
    }

    @Test
    void aPartitionThatWasNeverChangedIsNotTakenByASpaceThatIsMadeAnew() throws Exception {
        list("first=2", "a", "b");
        TupleSpaces.open(uri, OPTIONS).close();
        Path mounted = directory.resolve("mounted");
        Files.move(directory.resolve("a"), mounted);
        fails(Reason.ABSENT, "partition 1, sqlite:" + directory + "/b, belongs to a space",
                () -> TupleSpaces.open(uri, OPTIONS));
        fails(Reason.ABSENT, "is its disk mounted", () -> TupleSpaces.openToRead(uri, OPTIONS));
        assertThat(directory.resolve("a")).doesNotExist();
        TupleSpaces.open(SpaceUri.of(directory.resolve("a")), OPTIONS).close();
        for (int i = 0; i < 2; i++) {
            fails(Reason.DAMAGED, "the disk of partition 0 is not mounted", () -> TupleSpaces.open(uri, OPTIONS));
        }
        Files.move(directory.resolve("a"), directory.resolve("made anew"));
        Files.move(mounted, directory.resolve("a"));
        write(30);
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
            for (Path one : files) {
                Files.copy(one, to.resolve(one.getFileName()));
            }
        }
    }
}
