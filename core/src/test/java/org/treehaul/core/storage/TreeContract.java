// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** The behaviour of the trees of a store, for every store that can be read and written. */
public abstract class TreeContract {

    private final Arena arena = Arena.ofConfined();
    private TargetTree target;
    private SourceTree source;

    /** Opens the tree under test, whose root does not exist or is an empty directory, for writing. */
    protected abstract TargetTree target() throws SystemCallException;

    /** Opens the same tree for reading. */
    protected abstract SourceTree source() throws SystemCallException;

    /** Returns whether the store has symbolic links. */
    protected boolean hasLinks() {
        return true;
    }

    /** Returns whether the store has FIFOs and sockets. */
    protected boolean hasNodes() {
        return true;
    }

    /** Returns whether a file that is open can still be read after another one has replaced it. */
    protected boolean keepsReplaced() {
        return true;
    }

    @BeforeEach
    void open() throws SystemCallException {
        target = target();
        source = source();
        target.makeDirectory(TreePath.root(), MapStore.status(EntryKind.DIRECTORY, 0755, 5));
    }

    @AfterEach
    void close() {
        source.close();
        target.close();
        arena.close();
    }

    private static TreePath path(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static EntryMetadata like(EntryKind kind, int permissions, long seconds) {
        return MapStore.metadata(kind, permissions, seconds);
    }

    private NewFile begin(String name, String content) throws SystemCallException {
        NewFile file = target.create(path(name), like(EntryKind.REGULAR, 0640, 7));
        file.data().write(arena.allocateFrom(content).asSlice(0, content.length()));
        return file;
    }

    private String content(String name) throws SystemCallException {
        try (SourceFile file = source.open(path(name))) {
            MemorySegment buffer = arena.allocate(file.status().size() + 1);
            long n = file.readFully(buffer);
            return new String(buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    private SortedMap<String, EntryKind> list(String directory) throws SystemCallException {
        SortedMap<String, EntryKind> found = new TreeMap<>();
        source.list(path(directory), (name, kind) -> {
            assertThat(found.put(new String(name, StandardCharsets.UTF_8), kind)).isNull();
            return true;
        });
        return found;
    }

    private static void fails(ThrowingCallable call, Integer... errnos) {
        assertThatThrownBy(call).isInstanceOfSatisfying(SystemCallException.class,
                e -> assertThat(errnos).as(e.getMessage()).contains(e.errno()));
    }

    @Test
    void aFileHasNoNameBeforeItIsCommitted() throws SystemCallException {
        NewFile file = begin("f", "content");
        fails(() -> source.status(path("f")), Errno.ENOENT);
        fails(() -> source.open(path("f")), Errno.ENOENT);
        file.commit();
        assertThat(content("f")).isEqualTo("content");
        assertThat(source.status(path("f")).kind()).isEqualTo(EntryKind.REGULAR);
        assertThat(source.status(path("f")).permissions()).isEqualTo(0640);
        assertThat(source.status(path("f")).mtimeSeconds()).isEqualTo(7);
        assertThat(list("")).containsOnlyKeys("f");
    }

    @Test
    void aDiscardedFileLeavesNothing() throws SystemCallException {
        begin("f", "content").discard();
        fails(() -> source.status(path("f")), Errno.ENOENT);
        assertThat(list("")).isEmpty();
    }

    @Test
    void aCommittedFileReplacesAnotherAsAWhole() throws SystemCallException {
        begin("f", "the old content").commit();
        NewFile second = begin("f", "new");
        assertThat(content("f")).isEqualTo("the old content");
        begin("f", "discarded").discard();
        assertThat(content("f")).isEqualTo("the old content");
        second.commit();
        assertThat(content("f")).isEqualTo("new");
        assertThat(list("")).containsOnlyKeys("f");
    }

    @Test
    void anOpenSourceKeepsItsDataWhenItIsReplaced() throws SystemCallException {
        begin("f", "the old content").commit();
        try (SourceFile old = source.open(path("f"))) {
            begin("f", "new").commit();
            MemorySegment buffer = arena.allocate(20);
            if (keepsReplaced()) {
                assertThat(old.readFully(buffer, 0)).isEqualTo(15);
            } else {
                fails(() -> old.readFully(buffer, 0), Errno.ESTALE);
            }
        }
    }

    @Test
    void theTargetFindsWhatIsThere() throws SystemCallException {
        assertThat(target.find(path("f"))).isNull();
        assertThat(target.find(path("d/f"))).isNull();
        NewFile file = begin("f", "content");
        assertThat(target.find(path("f"))).isNull();
        file.commit();
        assertThat(target.find(path("f"))).satisfies(found -> {
            assertThat(found.kind()).isEqualTo(EntryKind.REGULAR);
            assertThat(found.size()).isEqualTo(7);
            assertThat(found.mtimeSeconds()).isEqualTo(7);
        });
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
        assertThat(target.find(path("d"))).extracting(FileStatus::kind).isEqualTo(EntryKind.DIRECTORY);
    }

    @Test
    void aDirectoryIsNotReplacedByAFile() throws SystemCallException {
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
        NewFile file = begin("d", "content");
        fails(() -> file.commit(), Errno.EISDIR, Errno.EEXIST);
        assertThat(list("")).containsExactly(Map.entry("d", EntryKind.DIRECTORY));
        begin("d/f", "in it").commit();
        assertThat(content("d/f")).isEqualTo("in it");
    }

    @Test
    void directoriesAreMadeOnceAndFinished() throws SystemCallException {
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0750, 9));
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0750, 9));
        begin("d/f", "x").commit();
        target.finishDirectory(path("d"), like(EntryKind.DIRECTORY, 0750, 9));
        assertThat(source.status(path("d")).permissions()).isEqualTo(0750);
        assertThat(source.status(path("d")).mtimeSeconds()).isEqualTo(9);
        begin("g", "x").commit();
        fails(() -> target.makeDirectory(path("g"), MapStore.status(EntryKind.DIRECTORY, 0750, 9)), Errno.EEXIST,
                Errno.ENOTDIR);
    }

    @Test
    void listsEachEntryWithItsKindUntilTheVisitorEnds() throws SystemCallException {
        for (int i = 0; i < 50; i++) {
            target.makeDirectory(path("d" + i), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
            begin("d" + i + "/inner", "x").commit();
        }
        begin("f", "x").commit();
        SortedMap<String, EntryKind> all = list("");
        assertThat(all).hasSize(51).containsEntry("f", EntryKind.REGULAR).containsEntry("d49", EntryKind.DIRECTORY);
        assertThat(list("d7")).containsOnlyKeys("inner");
        int[] received = {0};
        source.list(TreePath.root(), (name, kind) -> ++received[0] < 10);
        assertThat(received[0]).isEqualTo(10);
        fails(() -> list("f"), Errno.ENOTDIR);
        fails(() -> list("missing"), Errno.ENOENT);
    }

    @Test
    void namesAreBytes() throws SystemCallException {
        TreePath odd = TreePath.root().child(new byte[]{'a', (byte) 0xFF, '\n', ' ', (byte) 0x80});
        NewFile file = target.create(odd, like(EntryKind.REGULAR, 0600, 1));
        file.commit();
        assertThat(source.status(odd).size()).isZero();
        source.list(TreePath.root(), (name, kind) -> {
            assertThat(name).isEqualTo(odd.nameBytes());
            return true;
        });
    }

    @Test
    void aLinkReplacesAllButDirectoriesOrIsRefused() throws SystemCallException {
        EntryMetadata like = like(EntryKind.SYMLINK, 0777, 3);
        if (!hasLinks()) {
            fails(() -> target.makeLink(path("l"), ByteString.of("to/here"), like), Errno.EPERM, Errno.EOPNOTSUPP);
            assertThat(list("")).isEmpty();
            return;
        }
        begin("l", "a file").commit();
        target.makeLink(path("l"), ByteString.of("to/here"), like);
        assertThat(source.linkTarget(path("l"))).isEqualTo(ByteString.of("to/here"));
        target.makeLink(path("l"), ByteString.of("elsewhere"), like);
        assertThat(source.linkTarget(path("l"))).isEqualTo(ByteString.of("elsewhere"));
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
        fails(() -> target.makeLink(path("d"), ByteString.of("x"), like), Errno.EISDIR, Errno.EEXIST);
        assertThat(list("")).containsOnly(Map.entry("d", EntryKind.DIRECTORY), Map.entry("l", EntryKind.SYMLINK));
        fails(() -> source.open(path("l")).close(), Errno.ELOOP, Errno.ENXIO, Errno.EISDIR);
    }

    @Test
    void aNodeReplacesAllButDirectoriesOrIsRefused() throws SystemCallException {
        EntryMetadata like = like(EntryKind.FIFO, 0600, 4);
        if (!hasNodes()) {
            fails(() -> target.makeNode(path("n"), like), Errno.EPERM, Errno.EOPNOTSUPP);
            assertThat(list("")).isEmpty();
            return;
        }
        begin("n", "a file").commit();
        target.makeNode(path("n"), like);
        assertThat(source.status(path("n")).kind()).isEqualTo(EntryKind.FIFO);
        assertThat(source.status(path("n")).mtimeSeconds()).isEqualTo(4);
        fails(() -> source.linkTarget(path("n")), Errno.EINVAL);
        target.makeNode(path("p"), like(EntryKind.SOCKET, 0600, 4));
        fails(() -> source.open(path("p")).close(), Errno.ELOOP, Errno.ENXIO, Errno.EISDIR);
        target.makeDirectory(path("d"), MapStore.status(EntryKind.DIRECTORY, 0755, 1));
        fails(() -> target.makeNode(path("d"), like), Errno.EISDIR, Errno.EEXIST);
        assertThat(list("")).containsOnlyKeys("d", "n", "p");
    }

    @Test
    void locationsAreInsideAnOpenFile() throws SystemCallException {
        begin("f", "content").commit();
        try (SourceFile file = source.open(path("f"))) {
            assertThat(file.locations(0, 1000)).allSatisfy(location -> assertThat(location.end()).isBetween(1L, 7L));
            assertThat(file.locations(7, 1)).isEmpty();
        }
    }
}
