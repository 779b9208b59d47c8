// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;

/** The tuples of a catalogue: each change is made as a whole or not at all. */
abstract class CatalogueContract {

    private final SpaceUri uri;
    private final TupleSpace space;
    private final Catalogue catalogue;
    private final Catalogue other;

    /** Tests catalogues in a space that is empty. */
    CatalogueContract(SpaceUri uri) {
        this.uri = uri;
        space = TupleSpaces.open(uri, Catalogue.options());
        catalogue = Catalogue.open(uri, "job");
        other = Catalogue.open(uri, "other");
    }

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
    void noEntryIsBelowAFileAndNoFileReplacesADirectory() throws Exception {
        file("a/b/c");
        directory("a/b");
        directory("d");
        StagedFile below = entry("a/b/c/x/y", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile above = entry("a/b", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile empty = entry("d", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(below, above, empty));
        assertErrno(Errno.ENOTDIR, () -> catalogue.commit(List.of(below.in(StagedState.COMMITTED))));
        assertErrno(Errno.EISDIR, () -> catalogue.commit(List.of(above.in(StagedState.COMMITTED))));
        assertErrno(Errno.EISDIR, () -> catalogue.commit(List.of(empty.in(StagedState.COMMITTED))));
        assertErrno(Errno.EISDIR,
                () -> catalogue.commit(List.of(entry("d", EntryKind.SYMLINK, StagedState.COMMITTED))));
        directory("d");
        assertThat(paths("", false)).containsExactly("a/b", "a/b/c", "d");
    }

    @Test
    void noFileGetsThePathOfADirectoryWithoutAnEntryAsLongAsSomethingIsBelowIt() throws Exception {
        StagedFile below = file("a/b/c");
        for (String path : List.of("a", "a/b")) {
            StagedFile intent = entry(path, EntryKind.REGULAR, StagedState.INTENT);
            catalogue.begin(List.of(intent));
            assertErrno(Errno.EISDIR, () -> catalogue.commit(List.of(intent.in(StagedState.COMMITTED))));
            assertErrno(Errno.EISDIR,
                    () -> catalogue.commit(List.of(entry(path, EntryKind.SYMLINK, StagedState.COMMITTED))));
        }
        assertThat(paths("", false)).containsExactly("a/b/c");
        assertThat(catalogue.find(ByteString.of("a"))).isEmpty();
        directory("a");
        assertThat(paths("", false)).containsExactly("a", "a/b/c");
        assertThat(catalogue.remove(below)).isTrue();
        file("a/b");
        assertThat(paths("", false)).containsExactly("a", "a/b");
        StagedFile late = entry("a/b/d", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(late));
        assertErrno(Errno.ENOTDIR, () -> catalogue.commit(List.of(late.in(StagedState.COMMITTED))));
    }

    @Test
    void aRenamedEntryHasDirectoriesAboveItAndMayReplaceNone() throws Exception {
        StagedFile moved = file("a");
        catalogue.changes().change(moved, StagedState.RENAMING, ByteString.of("x/y"), 0);
        StagedFile link = entry("link", EntryKind.SYMLINK, StagedState.COMMITTED);
        catalogue.commit(List.of(link));
        assertErrno(Errno.EEXIST, () -> catalogue.changes().move(link, ByteString.of("x")));
        assertErrno(Errno.EISDIR,
                () -> catalogue.commit(List.of(entry("x", EntryKind.SYMLINK, StagedState.COMMITTED))));
        catalogue.changes().move(link, ByteString.of("z/link"));
        assertErrno(Errno.EISDIR,
                () -> catalogue.commit(List.of(entry("z", EntryKind.SYMLINK, StagedState.COMMITTED))));
        assertThat(paths("", false)).containsExactly("x/y", "z/link");
    }

    @Test
    void filesOfOneCommitAreNotBelowEachOther() throws Exception {
        StagedFile above = entry("a", EntryKind.REGULAR, StagedState.INTENT);
        StagedFile below = entry("a/b", EntryKind.REGULAR, StagedState.INTENT);
        catalogue.begin(List.of(above, below));
        assertErrno(Errno.ENOTDIR,
                () -> catalogue.commit(List.of(above.in(StagedState.COMMITTED), below.in(StagedState.COMMITTED))));
        assertThat(paths("", false)).isEmpty();
        file("d");
        catalogue.commit(List.of(entry("d", EntryKind.DIRECTORY, StagedState.COMMITTED),
                entry("d/link", EntryKind.SYMLINK, StagedState.COMMITTED)));
        assertThat(paths("", false)).containsExactly("d", "d/link");
    }

    private static <T> T noting(Class<T> type, T of, List<String> requests) {
        return type
                .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (proxy, method, values) -> {
                    requests.add(method.getName());
                    return method.invoke(of, values);
                }));
    }

    @Test
    @SuppressWarnings("unchecked")
    void manyNewFilesTakeNoMoreRequestsThanOneAndNoneAsksAboutOneFile() throws Exception {
        List<String> requests = new ArrayList<>();
        TupleSpace noted = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, values) -> {
                    if (method.getName().equals("atomically")) {
                        return space.atomically(within -> ((Function<TupleOperations, ?>) values[0])
                                .apply(noting(TupleOperations.class, within, requests)));
                    }
                    return method.invoke(space, values);
                });
        Catalogue noting = Catalogue.of(noted, "job");
        List<StagedFile> intents = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            intents.add(entry("d/" + i % 10 + "/f" + i, EntryKind.REGULAR, StagedState.INTENT));
        }
        catalogue.begin(intents);
        List<StagedFile> files = intents.stream().map(intent -> intent.in(StagedState.COMMITTED)).toList();
        noting.commit(files.subList(0, 1));
        List<String> ofOne = List.copyOf(requests);
        requests.clear();
        noting.commit(files.subList(1, files.size()));
        assertThat(requests).isEqualTo(ofOne).containsExactly("remove", "contents", "takeAll", "writeAll");
    }

    @Test
    void eachOfManyMakersOfOnePathReplacesTheOneBefore() throws Exception {
        List<StagedFile> intents = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            intents.add(entry("a", EntryKind.REGULAR, StagedState.INTENT));
        }
        catalogue.begin(intents);
        List<Callable<List<StagedFile>>> makers = new ArrayList<>();
        for (StagedFile intent : intents) {
            makers.add(() -> {
                try (Catalogue own = Catalogue.open(uri, "job")) {
                    return own.commit(List.of(intent.in(StagedState.COMMITTED)));
                }
            });
        }
        Set<UUID> replaced = new HashSet<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(makers.size())) {
            for (Future<List<StagedFile>> maker : threads.invokeAll(makers)) {
                maker.get().forEach(before -> assertThat(replaced.add(before.id())).isTrue());
            }
        }
        assertThat(replaced).hasSize(intents.size() - 1);
        assertThat(paths("", false)).containsExactly("a");
        assertThat(catalogue.find(ByteString.of("a")).orElseThrow().id()).isNotIn(replaced);
    }

    @Test
    void clientsThatCloseAFileAtOnceAllFindIt() throws Exception {
        file("a");
        List<Callable<Boolean>> clients = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            long size = i;
            clients.add(() -> {
                try (Catalogue own = Catalogue.open(uri, "job")) {
                    for (int round = 0; round < 25; round++) {
                        StagedFile opened = own.find(ByteString.of("a")).orElseThrow();
                        own.closed(opened, size, new Timestamp(round, 0));
                    }
                    return true;
                }
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
            for (Future<Boolean> client : threads.invokeAll(clients)) {
                assertThat(client.get()).isTrue();
            }
        }
        assertThat(catalogue.find(ByteString.of("a")).orElseThrow().size()).isEqualTo(4);
    }

    @Test
    void marksOfStaleCopiesAddUpAndTheLastCopyIsNotMarked() throws Exception {
        StagedFile one = file("a");
        StagedFile intent = new StagedFile("job", ByteString.of("b"), UUID.randomUUID(), 1, StagedState.INTENT,
                EntryKind.REGULAR, 0, 0644, 1, 2, 3, 4, null, "d1,d2,d3", 3, 10, 2, "", false);
        catalogue.begin(List.of(intent));
        catalogue.commit(List.of(intent.in(StagedState.COMMITTED)));
        StagedFile opened = intent.in(StagedState.COMMITTED);
        catalogue.changes().missed(opened, 0, "d1");
        assertThat(catalogue.changes().missed(opened, 2, "d3").stale()).isEqualTo("0@d1,2@d3");
        assertErrno(Errno.EIO, () -> catalogue.changes().missed(opened, 0, "d2"));
        assertErrno(Errno.EIO, () -> catalogue.changes().missed(one, 0, "d1"));
        StagedFile repairing = catalogue.changes().change(opened, StagedState.REPAIRING, opened.path(), 0);
        assertErrno(Errno.ESTALE, () -> catalogue.changes().missed(opened, 1, "d2"));
        StagedFile after = repairing.withCopy(0, "d1", "d1").withCopy(2, "d3", "d2");
        assertThat(catalogue.changes().repaired(opened, after)).isFalse();
        assertThat(catalogue.changes().repaired(repairing, after)).isTrue();
        StagedFile now = catalogue.find(opened.path()).orElseThrow();
        assertThat(now.stale()).isEmpty();
        assertThat(List.of(now.good(0), now.good(1), now.good(2))).containsExactly(List.of("d1", "d2"),
                List.of("d2", "d3"), List.of("d2", "d1"));
        assertThat(catalogue.using("d3")).extracting(StagedFile::path).containsExactly(opened.path());
    }

    @Test
    void aSizeThatWasRecordedSinceTheEntryWasReadStays() throws Exception {
        StagedFile listed = file("a");
        catalogue.closed(listed, 77, new Timestamp(5, 6));
        StagedFile repairing = catalogue.changes().change(listed, StagedState.REPAIRING, listed.path(), listed.size());
        assertThat(repairing.size()).isEqualTo(77);
        assertThat(catalogue.changes().repaired(repairing, repairing)).isTrue();
        StagedFile now = catalogue.find(listed.path()).orElseThrow();
        assertThat(now.size()).isEqualTo(77);
        assertThat(catalogue.changes().change(now, StagedState.TRUNCATING, now.path(), 3).size()).isEqualTo(3);
    }

    @Test
    void noCopyGoesToAServerThatWasDrainedSinceThen() throws Exception {
        StageServer server = new StageServer("job", "d4", "node1", UUID.randomUUID(), ByteString.of("/a"), "");
        catalogue.add(server);
        StagedFile file = file("a");
        StagedFile repairing = catalogue.changes().change(file, StagedState.REPAIRING, file.path(), 0);
        catalogue.change(server, StageServer.State.DRAINING);
        assertThat(catalogue.change(server, StageServer.State.DRAINED)).isTrue();
        assertThat(catalogue.changes().repaired(repairing, repairing.withCopy(0, "d1", "d4"))).isFalse();
        assertThat(catalogue.using("d4")).isEmpty();
        StagedFile now = catalogue.find(file.path()).orElseThrow();
        assertThat(now).isEqualTo(repairing.in(StagedState.COMMITTED));
    }

    @Test
    void aServerTakesNothingNewSinceItIsDraining() throws Exception {
        StageServer server = new StageServer("job", "d2", "node1", UUID.randomUUID(), ByteString.of("/a"), "");
        catalogue.add(server);
        StagedFile file = file("a");
        assertThat(catalogue.change(server, StageServer.State.DRAINING)).isTrue();
        assertErrno(Errno.EROFS, () -> catalogue.begin(List.of(entry("b", EntryKind.REGULAR, StagedState.INTENT))));
        assertThat(catalogue.change(server, StageServer.State.DRAINED)).isFalse();
        assertThat(catalogue.remove(file)).isTrue();
        assertThat(catalogue.change(server, StageServer.State.DRAINED)).isTrue();
        assertThat(catalogue.activeServers()).isEmpty();
        assertThat(catalogue.add(server).state()).isEqualTo(StageServer.State.DRAINED);
    }

    @Test
    void aServerThatGetsAFileJustBeforeItWouldBeDrainedIsNotDrained() throws Exception {
        StageServer server = new StageServer("job", "d2", "node1", UUID.randomUUID(), ByteString.of("/a"), "");
        catalogue.add(server);
        catalogue.change(server, StageServer.State.DRAINING);
        StagedFile late = entry("late", EntryKind.REGULAR, StagedState.INTENT);
        // Before the step that changes the server, another program takes it back, makes a file, and drains it again.
        AtomicBoolean isFirst = new AtomicBoolean(true);
        TupleSpace overtaken = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, values) -> {
                    if (method.getName().equals("atomically") && isFirst.getAndSet(false)) {
                        catalogue.change(server, StageServer.State.ACTIVE);
                        catalogue.begin(List.of(late));
                        catalogue.change(server, StageServer.State.DRAINING);
                    }
                    return method.invoke(space, values);
                });
        assertThat(Catalogue.of(overtaken, "job").change(server, StageServer.State.DRAINED)).isFalse();
        assertThat(catalogue.using("d2")).containsExactly(late);
        assertThat(catalogue.remove(late)).isTrue();
        assertThat(catalogue.change(server, StageServer.State.DRAINED)).isTrue();
    }

    @Test
    void noEntryIsRenamedToAPathBelowAFile() throws Exception {
        file("a");
        StagedFile other = file("b");
        StagedFile link = entry("link", EntryKind.SYMLINK, StagedState.COMMITTED);
        catalogue.commit(List.of(link));
        assertErrno(Errno.ENOTDIR,
                () -> catalogue.changes().change(other, StagedState.RENAMING, ByteString.of("a/x/y"), other.size()));
        assertErrno(Errno.ENOTDIR, () -> catalogue.changes().move(link, ByteString.of("a/x")));
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
        StagedFile changing = catalogue.changes().change(closed, StagedState.TRUNCATING, file.path(), 3);
        assertErrno(Errno.ESTALE, () -> catalogue.closed(closed, 80, new Timestamp(5, 6)));
        assertErrno(Errno.ESTALE, () -> catalogue.changes().change(closed, StagedState.TRUNCATING, file.path(), 4));
        catalogue.changes().changed(changing);
        catalogue.changes().changed(changing);
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
        assertErrno(Errno.EEXIST,
                () -> catalogue.changes().change(file, StagedState.RENAMING, ByteString.of("b/c"), 0));
        assertErrno(Errno.EEXIST, () -> catalogue.changes().change(file, StagedState.RENAMING, ByteString.of("b"), 0));
        assertThat(catalogue.find(file.path())).contains(file);
        StagedFile link = entry("l", EntryKind.SYMLINK, StagedState.COMMITTED);
        catalogue.commit(List.of(link));
        assertErrno(Errno.EEXIST, () -> catalogue.changes().move(link, ByteString.of("a")));
        catalogue.changes().move(link, ByteString.of("m"));
        assertErrno(Errno.ESTALE,
                () -> catalogue.changes().move(link.at(ByteString.of("l")).in(StagedState.INTENT), ByteString.of("n")));
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
    void processesThatAddServersAtTheSameTimeGiveThemDifferentNames() throws Exception {
        List<Callable<StageServer>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            StageServer server = new StageServer("job", "d", "node" + i, UUID.randomUUID(), ByteString.of("/a"), "");
            all.add(() -> catalogue.addNumbered("d", server));
        }
        Set<String> names = new HashSet<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(all.size())) {
            for (Future<StageServer> one : threads.invokeAll(all)) {
                names.add(one.get().name());
            }
        }
        assertThat(names).containsExactlyInAnyOrder("d1", "d2", "d3", "d4", "d5", "d6");
        assertThat(catalogue.servers()).hasSize(6);
    }

    @Test
    void namesOfOtherFormsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Catalogue.open(uri, "a/b"));
        assertThat(Catalogue.isName("job.7_x-Y")).isTrue();
        assertThat(Catalogue.isName("")).isFalse();
        assertThat(Catalogue.isName("x".repeat(65))).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StageServer("job", "a,b", "h", UUID.randomUUID(), ByteString.of("/a"), ""));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StageServer("job", "a", "h", UUID.randomUUID(), ByteString.of("a"), ""));
    }
}
