// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.treehaul.core.walk.Walks.path;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.FarFiles;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;

/** A directory of fewer entries than are worth giving away, on a file system whose answers take long. */
@SuppressWarnings("restricted")
class FarWalkTest {

    private static final int FILES = 75;
    private static final Duration DELAY = Duration.ofMillis(10);
    private static final MethodHandle POLL = Linker.nativeLinker()
            .downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow("poll"), FunctionDescriptor
                    .of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private final WalkedTree tree = new WalkedTree();
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @BeforeEach
    void makeTree() {
        tree.make(w -> {
            for (int i = 0; i < FILES; i++) {
                w.file(path("f" + i), 1, 1);
            }
        });
    }

    @AfterEach
    void removeTree() {
        tree.close();
    }

    // In a system call, as a thread that waits for a server.
    private void delay(Duration time) {
        most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
        try {
            assertThat((int) POLL.invokeExact(MemorySegment.NULL, 0L, (int) time.toMillis())).isZero();
        } catch (Throwable e) {
            throw new AssertionError(e);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private final class Counting implements WalkHandler<Object> {
        private final boolean readsAhead;

        Counting(boolean readsAhead) {
            this.readsAhead = readsAhead;
        }

        @Override
        public boolean readsAhead() {
            return readsAhead;
        }

        @Override
        public Step entry(FoundEntry<Object> found) {
            handled.incrementAndGet();
            return Step.CONTINUE;
        }

        @Override
        public Object enter(WalkDirectory<Object> directory, WalkWorker<Object> worker) {
            return this;
        }

        @Override
        public void failed(EntryFailure failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "8, false", "8, true"})
    void idleThreadsTakeAPartOfTheEntries(int threads, boolean readsAhead) {
        assumeTrue(Files.isReadable(Path.of("/proc/self/syscall")), "the kernel does not show the calls of threads");
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), List.of(Fault.on(Call.STATX).delays(DELAY)),
                this::delay);
        walk(calls, threads, readsAhead);
        assertThat(most).as("the most threads that waited at the same time").hasValueGreaterThan(1);
    }

    private void walk(FileSystemCalls calls, int threads, boolean readsAhead) {
        TreeWalker.of(calls, WalkOptions.defaults().withThreads(threads))
                .walkWith(List.of(tree.root()), (WalkWorker<Object> worker) -> new Counting(readsAhead),
                        new Cancellation(), all -> {
                        });
        assertThat(handled).hasValue(FILES + 1);
    }

    @ParameterizedTest
    @CsvSource({"0x6969, true", "0xEF53, false"})
    void aTreeOnAServerIsFarByTheTypeOfItsFileSystem(String type, boolean isFar) {
        // Waits outside of system calls on files, so that the walk cannot find out by itself.
        walk(FarFiles.of(FileSystemTypes.saying(Long.decode(type)), most), 8, false);
        assertThat(most.get() > 1).isEqualTo(isFar);
    }
}
