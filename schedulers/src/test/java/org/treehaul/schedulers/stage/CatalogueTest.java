// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;

/** The tuples of a catalogue: each change is made as a whole or not at all. */
class CatalogueTest {

    private static final SpaceUri SPACE = new SpaceUri(SpaceUri.MEMORY, "catalogue" + System.nanoTime());

    private final TupleSpace space = TupleSpaces.open(SPACE, Catalogue.options());
    private final Catalogue catalogue = Catalogue.open(SPACE, "job");
    private final Catalogue other = Catalogue.open(SPACE, "other");

    @AfterEach
    void close() {
        catalogue.close();
        other.close();
        space.close();
    }

    private static StagedFile entry(String path, EntryKind kind, StagedState state) {
        boolean isFile = kind == EntryKind.REGULAR;
        return new StagedFile("job", ByteString.of(path), UUID.randomUUID(), 1, state, kind, 0, 0644, 1, 2, 3, 4,
                kind == EntryKind.SYMLINK ? ByteString.of("x") : null, isFile ? "d1,d2" : "", isFile ? 2 : 0,
                isFile ? 10 : 0);
    }

    private StagedFile file(String path) throws StageException {
        StagedFile intent = entry(path, EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(intent));
        catalogue.commit(List.of(intent.in(StagedState.COMMITTED)));
        return intent.in(StagedState.COMMITTED);
    }

    private void directory(String path) throws StageException {
        catalogue.commit(List.of(entry(path, EntryKind.DIRECTORY, StagedState.COMMITTED)));
    }

    private List<String> paths(String below, boolean contentFirst) {
        try (Stream<StagedFile> all = catalogue.below(ByteString.of(below), contentFirst)) {
            return all.map(entry -> entry.path().toString()).toList();
        }
    }

    private static void assertErrno(int errno, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StageException.class,
                e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void anIntentHasNoPathUntilItIsCommittedAndReplacesTheEntryThere() throws Exception {
        StagedFile old = file("a");
        StagedFile intent = entry("a", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(intent));
        assertThat(catalogue.find(ByteString.of("a"))).contains(old);
        assertThat(catalogue.withIds(Set.of(intent.id()))).containsExactly(intent);
        assertThat(catalogue.commit(List.of(intent.in(StagedState.COMMITTED)))).containsExactly(old);
        assertThat(catalogue.find(ByteString.of("a"))).contains(intent.in(StagedState.COMMITTED));
        assertThat(catalogue.find(ByteString.of("a")).orElseThrow().layout())
                .isEqualTo(new StripeLayout(List.of("d1", "d2"), 2, 10));
    }

    @Test
    void aCommitWithoutItsIntentChangesNothing() throws Exception {
        StagedFile first = entry("a", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile second = entry("b", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(first, second));
        assertThat(catalogue.remove(second)).isTrue();
        assertThat(catalogue.remove(second)).isFalse();
        List<StagedFile> both = List.of(first.in(StagedState.COMMITTED), second.in(StagedState.COMMITTED));
        assertErrno(Errno.ESTALE, () -> catalogue.commit(both));
        assertThat(paths("", false)).isEmpty();
        catalogue.commit(both.subList(0, 1));
        assertErrno(Errno.ESTALE, () -> catalogue.commit(both.subList(0, 1)));
    }

    @Test
    void noEntryIsBelowAFileAndNoFileReplacesADirectoryWithEntries() throws Exception {
        file("a/b/c");
        directory("a/b");
        directory("d");
        StagedFile below = entry("a/b/c/x/y", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile above = entry("a/b", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile empty = entry("d", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(below, above, empty));
        assertErrno(Errno.ENOTDIR, () -> catalogue.commit(List.of(below.in(StagedState.COMMITTED))));
        assertErrno(Errno.EISDIR, () -> catalogue.commit(List.of(above.in(StagedState.COMMITTED))));
        catalogue.commit(List.of(empty.in(StagedState.COMMITTED)));
        assertThat(paths("", false)).containsExactly("a/b", "a/b/c", "d");
    }

    @Test
    void noEntryIsRenamedToAPathBelowAFile() throws Exception {
        file("a");
        StagedFile other = file("b");
        StagedFile link = entry("link", EntryKind.SYMLINK, StagedState.COMMITTED);
        catalogue.commit(List.of(link));
        assertErrno(Errno.ENOTDIR,
                () -> catalogue.change(other, StagedState.RENAMING, ByteString.of("a/x/y"), other.size()));
        assertErrno(Errno.ENOTDIR, () -> catalogue.move(link, ByteString.of("a/x")));
        assertThat(paths("", false)).containsExactly("a", "b", "link");
    }

    @Test
    void aCatalogueInPartitionsIsRefused() {
        SpaceUri partitions = new SpaceUri(SpaceUri.PARTITIONS, "/nosuch/file");
        assertThatIllegalArgumentException().isThrownBy(() -> Catalogue.open(partitions, "job"))
                .withMessageContaining("partitions");
    }

    @Test
    void aDirectoryComesBeforeItsContentOrAfterIt() throws Exception {
        for (String path : List.of("a", "a/b", "a/b/c", "a-b")) {
            directory(path);
        }
        file("a/b0");
        assertThat(paths("a", false)).containsExactly("a", "a/b", "a/b/c", "a/b0");
        assertThat(paths("a", true)).containsExactly("a/b0", "a/b/c", "a/b", "a");
        assertThat(paths("", false)).containsExactly("a", "a-b", "a/b", "a/b/c", "a/b0");
        assertThat(paths("b", false)).isEmpty();
    }

    @Test
    void stagesInOneSpaceAreApart() throws Exception {
        file("a");
        assertThat(other.find(ByteString.of("a"))).isEmpty();
        try (Stream<StagedFile> all = other.below(ByteString.empty(), false)) {
            assertThat(all).isEmpty();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> other.begin(List.of(entry("a", EntryKind.REGULAR, StagedState.INTENT))));
    }

    @Test
    void closingRecordsSizeAndTimeOfTheGenerationThatWasOpened() throws Exception {
        StagedFile file = file("a");
        StagedFile closed = catalogue.closed(file, 77, new Timestamp(5, 6));
        assertThat(catalogue.find(file.path())).contains(closed);
        assertThat(closed.size()).isEqualTo(77);
        StagedFile changing = catalogue.change(closed, StagedState.TRUNCATING, file.path(), 3);
        assertErrno(Errno.ESTALE, () -> catalogue.closed(closed, 80, new Timestamp(5, 6)));
        assertErrno(Errno.ESTALE, () -> catalogue.change(closed, StagedState.TRUNCATING, file.path(), 4));
        catalogue.changed(changing);
        catalogue.changed(changing);
        StagedFile now = catalogue.find(file.path()).orElseThrow();
        assertThat(now.generation()).isEqualTo(3);
        assertThat(now.size()).isEqualTo(3);
        assertThat(paths("", false)).hasSize(1);
    }

    @Test
    void aClientThatClosesLateDoesNotRecordASmallerSize() throws Exception {
        StagedFile file = file("a");
        catalogue.closed(file, 200, new Timestamp(5, 6));
        assertThat(catalogue.closed(file, 100, new Timestamp(7, 8)).size()).isEqualTo(200);
        assertThat(catalogue.find(file.path()).orElseThrow().size()).isEqualTo(200);
    }

    @Test
    void aPathInUseIsNotTakenByARename() throws Exception {
        StagedFile file = file("a");
        file("b/c");
        assertErrno(Errno.EEXIST, () -> catalogue.change(file, StagedState.RENAMING, ByteString.of("b/c"), 0));
        assertErrno(Errno.EEXIST, () -> catalogue.change(file, StagedState.RENAMING, ByteString.of("b"), 0));
        assertThat(catalogue.find(file.path())).contains(file);
        StagedFile link = entry("l", EntryKind.SYMLINK, StagedState.COMMITTED);
        catalogue.commit(List.of(link));
        assertErrno(Errno.EEXIST, () -> catalogue.move(link, ByteString.of("a")));
        catalogue.move(link, ByteString.of("m"));
        assertErrno(Errno.ESTALE,
                () -> catalogue.move(link.at(ByteString.of("l")).in(StagedState.INTENT), ByteString.of("n")));
        assertThat(paths("", false)).containsExactly("a", "b/c", "m");
    }

    @Test
    void aServerKeepsItsNameAndNoOtherGetsIt() throws Exception {
        StageServer first = new StageServer("job", "d1", "node1", UUID.randomUUID(), ByteString.of("/a"), "");
        assertThat(catalogue.add(first)).isEqualTo(first);
        StageServer moved = new StageServer("job", "d2", "node2", first.id(), ByteString.of("/b"), "node2:7");
        assertThat(catalogue.add(moved).name()).isEqualTo("d1");
        assertThat(catalogue.servers()).extracting(StageServer::display).containsExactly("d1 (node2:7)");
        StageServer same = new StageServer("job", "d1", "node3", UUID.randomUUID(), ByteString.of("/a"), "");
        assertErrno(Errno.EEXIST, () -> catalogue.add(same));
        assertThat(catalogue.servers()).hasSize(1);
        assertThat(other.servers()).isEmpty();
    }

    @Test
    void namesOfOtherFormsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Catalogue.open(SPACE, "a/b"));
        assertThat(Catalogue.isName("job.7_x-Y")).isTrue();
        assertThat(Catalogue.isName("")).isFalse();
        assertThat(Catalogue.isName("x".repeat(65))).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StageServer("job", "a,b", "h", UUID.randomUUID(), ByteString.of("/a"), ""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StageServer("job", "a", "h", UUID.randomUUID(), ByteString.of("a"), ""));
    }
}
