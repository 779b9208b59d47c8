// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;

/**
 * Each implementation of {@link AsyncFiles} passes these tests, in which requests fail, and those of
 * {@link AsyncFilesContract}.
 */
public abstract class AsyncFaultsContract {

    protected static final AsyncSettings FOUR = AsyncSettings.defaults().withThreads(4);

    private static final Set<Request.Kind> CALLS = EnumSet.complementOf(EnumSet.of(Request.Kind.NONE));

    protected TestDirectory place;
    protected AsyncFiles files;

    /** The way in which a request fails. */
    public enum Effect {
        /** The request fails; nothing is done. */
        FAILS,
        /** The request is carried out, and then a failure reported. */
        SEEMS_TO_FAIL,
        /** At most so many bytes are moved. */
        FALLS_SHORT
    }

    /**
     * A fault.
     *
     * @param nth the request of this kind, counted from 1; 0 for each
     * @param number the error number, or the bytes; 0 as an error number for a result of 0
     */
    public record Fault(Request.Kind kind, int nth, Effect effect, int number) {}

    protected abstract AsyncFiles files(AsyncSettings settings, Fault... faults);

    /** Makes what the files need besides a directory. */
    protected void prepareStore() throws Exception {}

    /** Releases it. */
    protected void closeStore() {}

    /** Returns the path of a file; with an empty name that of a directory, which ends in a slash. */
    protected ByteString path(String name) {
        return ByteString.of(place.resolve(name));
    }

    /** Returns the data of a file, as another program sees them. */
    protected byte[] content(String name) throws Exception {
        return Files.readAllBytes(place.resolve(name));
    }

    /** Returns the number of files of this directory. */
    protected long count() throws Exception {
        try (Stream<Path> all = Files.list(place.path())) {
            return all.count();
        }
    }

    /** Returns the permission bits of a file. */
    protected int mode(String name) throws Exception {
        return (int) Files.getAttribute(place.resolve(name), "unix:mode") & 07777;
    }

    /** Returns the number of descriptors, or what takes their place, that are open. */
    protected abstract long descriptors() throws Exception;

    @BeforeEach
    void prepare() throws Exception {
        place = TestDirectory.make();
        prepareStore();
        files = files(FOUR);
    }

    @AfterEach
    void clean() {
        files.close();
        closeStore();
        place.close();
    }

    private AsyncFiles with(Fault... faults) {
        files.close();
        files = files(FOUR, faults);
        return files;
    }

    static byte[] random(int bytes) {
        byte[] data = new byte[bytes];
        new Random(bytes).nextBytes(data);
        return data;
    }

    static AsyncFileException failure(CompletableFuture<?> future) {
        try {
            future.get();
        } catch (ExecutionException e) {
            return (AsyncFileException) Objects.requireNonNull(e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("succeeded");
    }

    @Test
    void shortResultsAreContinued() throws Exception {
        with(new Fault(Request.Kind.READ, 0, Effect.FALLS_SHORT, 700),
                new Fault(Request.Kind.WRITE, 0, Effect.FALLS_SHORT, 900));
        byte[] data = random(20_000);
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        assertThat(file.writeSync(IoBuffer.of(data))).isEqualTo(data.length);
        IoBuffer buffer = IoBuffer.allocate(data.length + 1);
        assertThat(file.preadSync(buffer, 0)).isEqualTo(data.length);
        assertThat(buffer.toBytes(data.length)).isEqualTo(data);
    }

    @Test
    void interruptedRequestsAreRepeatedButNotACloseAndNotForEver() throws Exception {
        for (Request.Kind kind : CALLS) {
            with(new Fault(kind, 1, Effect.FAILS, Errno.EINTR));
            CompletableFuture<Void> all = everyKind();
            if (kind == Request.Kind.CLOSE) {
                assertThat(failure(all).operation()).isEqualTo("close");
            } else {
                all.get();
            }
        }
        with(new Fault(Request.Kind.READ, 0, Effect.FAILS, Errno.EINTR));
        assertThat(failure(everyKind()).errno()).isEqualTo(Errno.EINTR);
    }

    @Test
    void eachFailureArrivesWhereItHappenedAndTheFilesGoOn() throws Exception {
        for (Effect effect : List.of(Effect.FAILS, Effect.SEEMS_TO_FAIL)) {
            for (Request.Kind kind : CALLS) {
                with(new Fault(kind, 1, effect, Errno.EIO));
                AsyncFileException failure = failure(everyKind());
                assertThat(failure.errno()).as("%s %s", effect, kind).isEqualTo(Errno.EIO);
                assertThat(failure.path()).isEqualTo(path("every"));
                everyKind().get();
            }
        }
    }

    /** Opens, writes, seeks, reads, syncs, closes and removes a file. */
    private CompletableFuture<Void> everyKind() {
        IoBuffer data = IoBuffer.of(random(10));
        return files.open(path("every"), OpenMode.update())
                .thenCompose(file -> file.write(data)
                        .thenCompose(bytes -> file.seek(-10, SeekFrom.END))
                        .thenCompose(position -> file.read(data))
                        .thenCompose(bytes -> file.sync())
                        .thenCompose(nothing -> file.close()))
                .thenCompose(nothing -> files.remove(path("every")));
    }

    @Test
    void whicheverCallOfADirectFileFailsOnceNothingStaysOpen() throws Exception {
        files.close();
        long before = descriptors();
        for (Request.Kind kind : CALLS) {
            for (int nth = 1; nth <= 3; nth++) {
                files = files(FOUR.withThreads(1), new Fault(kind, nth, Effect.FAILS, Errno.EIO));
                int failures = 0;
                for (int use = 1; use <= 3; use++) {
                    try {
                        useDirectly();
                    } catch (AsyncFileException e) {
                        assertThat(e.errno()).as("%s %s: %s", kind, nth, e).isEqualTo(Errno.EIO);
                        failures++;
                    }
                }
                // None if the page cache takes the place of what failed.
                assertThat(failures).as("%s %s", kind, nth).isLessThanOrEqualTo(1);
                useDirectly();
                files.close();
                assertThat(descriptors()).as("%s %s", kind, nth).isEqualTo(before);
            }
        }
        assertThat(count()).isZero();
    }

    // With an odd end, and so with both descriptors.
    private void useDirectly() throws AsyncFileException {
        IoBuffer data = IoBuffer.of(random(3 * 4096 + 5));
        AsyncFile file = files.openSync(path("direct"), OpenMode.write().direct());
        file.writeSync(data);
        file.syncSync();
        file.closeSync();
        AsyncFile again = files.openSync(path("direct"), OpenMode.read().direct());
        assertThat(again.seekSync(-data.size(), SeekFrom.END)).isZero();
        assertThat(again.readSync(IoBuffer.allocate(data.size()))).isEqualTo(data.size());
        again.closeSync();
        files.removeSync(path("direct"));
    }

    @Test
    void aWriteThatFailsHalfwayReportsTheBytesThatWereWritten() throws Exception {
        with(new Fault(Request.Kind.WRITE, 0, Effect.FALLS_SHORT, 100),
                new Fault(Request.Kind.WRITE, 3, Effect.FAILS, Errno.ENOSPC));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        AsyncFileException full = failure(file.write(IoBuffer.of(random(1000))));
        assertThat(full.errno() + " after " + full.bytes()).isEqualTo(Errno.ENOSPC + " after 200");
        assertThat(file.seekSync(0, SeekFrom.CURRENT)).isEqualTo(200);
    }

    @Test
    void aWriteOfNothingIsAFailure() throws Exception {
        with(new Fault(Request.Kind.WRITE, 0, Effect.FAILS, 0));
        AsyncFile file = files.openSync(path("f"), OpenMode.update());
        assertThat(failure(file.write(IoBuffer.of(random(10)))).errno()).isEqualTo(Errno.EIO);
    }

    @Test
    void directFilesFallBackWhereTheFileSystemRefuses() throws Exception {
        with(new Fault(Request.Kind.OPEN, 2, Effect.FAILS, Errno.EINVAL));
        AsyncFile refused = files.openSync(path("f"), OpenMode.update().direct());
        with(new Fault(Request.Kind.STATUS, 1, Effect.FAILS, Errno.ENOSYS));
        AsyncFile unknown = files.openSync(path("f"), OpenMode.update().direct());
        assertThat(unknown.isDirect() || refused.isDirect()).isFalse();
        with(new Fault(Request.Kind.WRITE, 1, Effect.FAILS, Errno.EINVAL));
        AsyncFile broken = files.openSync(path("f"), OpenMode.update().direct());
        if (broken.isDirect()) {
            assertThat(broken.writeSync(IoBuffer.of(random(8192)))).isEqualTo(8192);
            assertThat(broken.isDirect()).isFalse();
        } else {
            assertThat(failure(broken.write(IoBuffer.of(random(8192)))).errno()).isEqualTo(Errno.EINVAL);
        }
    }
}
