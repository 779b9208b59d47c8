// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncFilesContract;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.FaultyBackend;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;

/** Asynchronous files over a stage pass the tests of all, and these. */
abstract class StageFilesContract extends AsyncFilesContract {

    static final StripeLayout LAYOUT = new StripeLayout(List.of("s1", "s2", "s3"), 5, 4096);

    @SuppressWarnings("NullAway.Init") // by prepareStore
    ServedStage served;
    @SuppressWarnings("NullAway.Init")
    Stage stage;

    abstract Backend backend(Stage on, AsyncSettings settings);

    @Override
    protected void prepareStore() throws Exception {
        served = ServedStage.in(place.path(), 3);
        stage = served.open();
        stage.catalogue().commit(List.of(entry("dir", EntryKind.DIRECTORY, null)));
    }

    @Override
    protected void closeStore() {
        served.close();
    }

    @Override
    protected AsyncFiles files(AsyncSettings settings, Fault... faults) {
        return AsyncFiles.over(new FaultyBackend(backend(stage, settings), faults), settings.depth(), "a test");
    }

    // As another client sees them.
    @Override
    protected byte[] content(String name) throws Exception {
        return StageFixture.read(served.open(), StagedPath.of(path(name)));
    }

    @Override
    protected ByteString path(String name) {
        return ByteString.of("dir/" + name);
    }

    @Override
    protected long count() {
        try (Stream<StagedFile> all = stage.catalogue().below(ByteString.of("dir"), false)) {
            return all.filter(file -> file.kind() == EntryKind.REGULAR).count();
        }
    }

    @Override
    protected int mode(String name) {
        return stage.catalogue().find(path(name)).orElseThrow().mode();
    }

    // A file of a stage has none.
    @Override
    protected long descriptors() {
        return 0;
    }

    @Test
    void otherClientsSeeANewFileAtOnceAndItsDataWhenItIsClosed() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.write());
        assertThat(served.open().catalogue().find(path("f"))).isPresent();
        file.pwriteSync(IoBuffer.of(new byte[100_000]), 0);
        file.closeSync();
        assertThat(content("f")).hasSize(100_000);
        assertThat(stage.catalogue().find(path("f")).orElseThrow().size()).isEqualTo(100_000);
        assertThat(served.check()).as("nothing is left over").isEmpty();
    }

    @Test
    void aFileThatIsTruncatedOrRemovedIsStaleForThoseThatHaveItOpen() throws Exception {
        files.openSync(path("f"), OpenMode.write()).closeSync();
        for (boolean isRemoved : new boolean[]{false, true}) {
            AsyncFile before = files.openSync(path("f"), OpenMode.update());
            before.writeSync(IoBuffer.of(new byte[10]));
            if (isRemoved) {
                files.removeSync(path("f"));
            } else {
                files.openSync(path("f"), OpenMode.write()).closeSync();
            }
            assertThatExceptionOfType(AsyncFileException.class)
                    .isThrownBy(() -> before.pwriteSync(IoBuffer.of(new byte[10]), 0))
                    .matches(e -> e.errno() == Errno.ESTALE)
                    .withMessageStartingWith("dir/f: write: Stale file handle (ESTALE) (");
            assertThatExceptionOfType(AsyncFileException.class)
                    .isThrownBy(() -> before.preadSync(IoBuffer.allocate(10), 0))
                    .matches(e -> e.errno() == Errno.ESTALE);
        }
    }

    @Test
    void serversTakeTurnsAsTheFirstOfNewFiles() throws Exception {
        for (String name : List.of("a", "b", "c", "d")) {
            files.openSync(path(name), OpenMode.write()).closeSync();
        }
        try (Stream<StagedFile> all = stage.catalogue().below(ByteString.of("dir"), false)) {
            assertThat(all.filter(file -> file.kind() == EntryKind.REGULAR).map(StagedFile::servers))
                    .containsExactly("s1,s2,s3", "s2,s3,s1", "s3,s1,s2", "s1,s2,s3");
        }
    }

    @Test
    void pathsThatAreNoRegularFilesAreRefused() throws Exception {
        stage.catalogue().commit(List.of(entry("dir/link", EntryKind.SYMLINK, "f")));
        stage.catalogue().commit(List.of(entry("dir/sub", EntryKind.DIRECTORY, null)));
        assertErrno("dir/link", Errno.ELOOP);
        assertErrno("dir/sub", Errno.EISDIR);
        assertErrno("", Errno.EISDIR);
        files.openSync(ByteString.of("without/entry/f"), OpenMode.write()).closeSync();
        assertErrno("without/entry", Errno.EISDIR);
        assertErrno("dir/../x", Errno.EINVAL);
        files.openSync(path("f"), OpenMode.write()).closeSync();
        assertErrno("dir/f/below", Errno.ENOTDIR);
        assertThat(served.check()).as("nothing is left over").isEmpty();
    }

    private void assertErrno(String path, int errno) {
        assertThatExceptionOfType(AsyncFileException.class)
                .isThrownBy(() -> files.openSync(ByteString.of(path), OpenMode.write()))
                .matches(e -> e.errno() == errno);
    }

    private StagedFile entry(String path, EntryKind kind, @Nullable String target) {
        return new StagedFile("job", ByteString.of(path), UUID.randomUUID(), 1, StagedState.COMMITTED, kind, 0, 0755, 0,
                0, 0, 0, target == null ? null : ByteString.of(target), "", 0, 0);
    }
}
