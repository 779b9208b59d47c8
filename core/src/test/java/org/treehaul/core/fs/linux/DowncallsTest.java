// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.testing.TestDirectory;

class DowncallsTest {

    private final FileSystemCalls calls = Linux.calls();

    @Test
    void memoryThatTheKernelMustNotSeeIsRefused() {
        Arena arena = Arena.ofShared();
        MemorySegment closed = arena.allocate(8);
        arena.close();
        assertThatIllegalArgumentException().isThrownBy(() -> calls.read(0, MemorySegment.ofArray(new byte[8])))
                .withMessageContaining("native");
        assertThatIllegalStateException().isThrownBy(() -> calls.write(1, closed)).withMessageContaining("closed");
    }

    @Test
    void functionsThatTheLibraryLacksAreNamed() {
        assertThat(Symbols.functionOrNull("no_such_function")).isNull();
        assertThatThrownBy(() -> Symbols.function("no_such_function")).isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("no_such_function");
    }

    @Test
    void eachThreadHasItsOwnErrno() throws InterruptedException {
        ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        Consumer<Integer> work = kind -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment none = arena.allocateFrom("/no/such/path");
                for (int i = 0; i < 500; i++) {
                    int result = kind % 2 == 0 ? calls.close(-1) : calls.openat(AT_FDCWD, none, O_RDONLY, 0);
                    if (result != (kind % 2 == 0 ? -Errno.EBADF : -Errno.ENOENT)) {
                        wrong.add(kind + ": " + result);
                    }
                }
            }
        };
        List<Thread> threads = new ArrayList<>();
        // More than the states that are kept for a quick lookup: the numbers of some threads collide there.
        for (int i = 0; i < 300; i++) {
            int kind = i;
            threads.add(i < 280
                    ? Thread.ofPlatform().start(() -> work.accept(kind))
                    : Thread.ofVirtual().start(() -> work.accept(kind)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aCallWithoutMemoryForErrnoIsMadeAgainWithItIfItFailsUntilThatTakesLong() {
        boolean wasToRepeat = Downcalls.isToRepeat();
        MemorySegment openat = Symbols.function("openat");
        try (Arena arena = Arena.ofConfined()) {
            long root = arena.allocateFrom("/").address();
            long none = arena.allocateFrom("/no/such/path").address();
            Downcalls.setToRepeat(true);
            int descriptor = Downcalls.callAgain(openat, AT_FDCWD, root, O_RDONLY, 0, 0);
            assertThat(descriptor).isNotNegative();
            assertThat(calls.close(descriptor)).isZero();
            assertThat(Downcalls.callAgain(openat, AT_FDCWD, none, O_RDONLY, 0, 0)).isEqualTo(-Errno.ENOENT);

            Downcalls.setToRepeat(true);
            Downcalls.noteRepeated(10_000_000);
            assertThat(Downcalls.isToRepeat()).isTrue();
            Downcalls.noteRepeated(30_000_000_000L);
            assertThat(Downcalls.isToRepeat()).isFalse();
            assertThat(Downcalls.callAgain(openat, AT_FDCWD, none, O_RDONLY, 0, 0)).isEqualTo(-Errno.ENOENT);
        } finally {
            Downcalls.setToRepeat(wasToRepeat);
        }
    }

    @Test
    void aDescriptorThatIsClosedQuietlyReleasesItsLock() {
        try (TestDirectory place = TestDirectory.make(); Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(place.resolve("f").toString());
            int first = calls.openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
            int second = calls.openat(AT_FDCWD, path, O_RDWR, 0);
            assertThat(calls.ofdLock(first, F_WRLCK)).isZero();
            assertThat(calls.ofdLock(second, F_WRLCK)).isEqualTo(-Errno.EAGAIN);
            calls.closeQuietly(first);
            assertThat(calls.ofdLock(second, F_WRLCK)).isZero();
            assertThat(calls.close(second)).isZero();
        }
    }

    @Test
    void callsByNumberDoWhatThoseOfTheLibraryDo() {
        try (TestDirectory place = TestDirectory.make(); Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom(place.path().toString());
            int directory = RawSystemCalls.openat2(AT_FDCWD, path, O_RDONLY, 0, 0);
            assertThat(directory).isNotNegative();
            MemorySegment byLibrary = arena.allocate(STATX_SIZE, 8);
            MemorySegment byNumber = arena.allocate(STATX_SIZE, 8);
            assertThat(calls.statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, byLibrary)).isZero();
            assertThat(RawSystemCalls.statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, byNumber)).isZero();
            assertThat(byNumber.mismatch(byLibrary)).isEqualTo(-1);
            assertThat(RawSystemCalls.getdents64(directory, byNumber)).isEqualTo(48); // the entries . and ..
            MemorySegment none = arena.allocateFrom("none");
            assertThat(RawSystemCalls.renameat2(directory, none, directory, path, 0)).isEqualTo(-Errno.ENOENT);
            assertThat(RawSystemCalls.statx(directory, none, 0, STATX_BASIC_STATS, byNumber)).isEqualTo(-Errno.ENOENT);
            assertThat(RawSystemCalls.getdents64(-1, byNumber)).isEqualTo(-Errno.EBADF);
            copiesByNumber(arena, path);
            assertThat(calls.close(directory)).isZero();
        }
    }

    private void copiesByNumber(Arena arena, MemorySegment path) {
        int from = calls.openat(AT_FDCWD, path, O_TMPFILE | O_RDWR, 0600);
        int to = calls.openat(AT_FDCWD, path, O_TMPFILE | O_RDWR, 0600);
        assertThat(calls.write(from, arena.allocateFrom("data"))).isEqualTo(5);
        MemorySegment offset = arena.allocate(8, 8);
        assertThat(RawSystemCalls.copyFileRange(from, offset, to, MemorySegment.NULL, 4)).isEqualTo(4);
        assertThat(RawSystemCalls.copyFileRange(-1, offset, to, MemorySegment.NULL, 4)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(from)).isZero();
        assertThat(calls.close(to)).isZero();
    }
}
