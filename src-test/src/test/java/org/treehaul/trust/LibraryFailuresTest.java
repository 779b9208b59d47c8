// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;

/** Failures seen in other tools that the library must not repeat when a program calls it. */
class LibraryFailuresTest {

    private static final ByteString FILE = ByteString.of("d/file");

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path source = directory.directory("source");
    private final Path target = directory.resolve("target");
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void remove() {
        directory.close();
    }

    private void make(long size) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(FILE, size, 1);
            for (int i = 0; i < 20; i++) {
                writer.file(ByteString.of("d/small" + i), i, i);
            }
        }
    }

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    private CopyResult copy(Fault... faults) {
        return copy(Linux.calls(), faults);
    }

    private CopyResult copy(FileSystemCalls beneath, Fault... faults) {
        EventListener listener = event -> {
            if (event instanceof Event.Failed failed) {
                synchronized (told) {
                    told.add(failed.failure().toString());
                }
            }
        };
        return TreeCopier
                .of(FaultInjectingCalls.over(beneath, faults),
                        CopyOptions.archive().threads(4).chunkBytes(1 << 20).build())
                .copy(List.of(new CopyPair(Root.of(bytes(source)), bytes(target))), listener, new Progress(),
                        new Cancellation());
    }

    private CompareResult compare(List<String> differences, Fault... faults) {
        return TreeComparer
                .of(FaultInjectingCalls.over(Linux.calls(), faults), CompareOptions.defaults().withThreads(2))
                .compare(Root.of(bytes(source)), bytes(target), difference -> {
                    synchronized (differences) {
                        differences.add(difference.toString());
                    }
                }, EventListener.none(), new Progress(), new Cancellation());
    }

    @Test
    void aCloseThatFailsIsAResultAndNoException() {
        make(10);
        assertThat(copy(Fault.on(Call.CLOSE).named("file").fails(Errno.EIO)).isSuccess()).isFalse();
        assertThat(told).singleElement().asString().contains("d/file: close: Input/output error");
    }

    @Test
    void aServerThatIsNotConnectedDoesNotMakeAnEntryMissing() {
        make(10);
        assertThat(copy().isSuccess()).isTrue();
        Fault gone = Fault.on(Call.STATX, Call.OPENAT).named("small7").fails(Errno.ENOTCONN);
        List<String> differences = new ArrayList<>();
        CompareResult result = compare(differences, gone);
        assertThat(differences).isEmpty();
        assertThat(result.hasTrouble()).isTrue();
        assertThat(copy(gone).isSuccess()).isFalse();
        assertThat(told).singleElement().asString().contains("d/small7: ", "not connected").doesNotContain("vanished");
    }

    @Test
    void aComparisonFindsEntriesThatAListingOmittedSilently() {
        make(10);
        assertThat(copy(Fault.on(Call.GETDENTS64).named("d").endsListing(5, 0)).isSuccess()).isTrue();
        List<String> differences = new ArrayList<>();
        assertThat(compare(differences).isSame()).isFalse();
        assertThat(differences).hasSize(16).allMatch(text -> text.endsWith(": only in A (regular)"));
        assertThat(copy().isSuccess()).isTrue();
        assertThat(compare(new ArrayList<>()).isSame()).isTrue();
    }

    @Test
    void oneLargeFileIsTheWorkOfSeveralThreadsWhereTheyDoNotWaitForEachOther() {
        make(12 << 20);
        Set<Thread> writers = ConcurrentHashMap.newKeySet();
        assertThat(copy(FileSystemTypes.saying(FileSystemTypes.LUSTRE),
                Fault.on(Call.PWRITE).delays(Duration.ofMillis(5)).runs(call -> writers.add(Thread.currentThread())))
                .isSuccess()).isTrue();
        assertThat(writers).hasSizeGreaterThan(1);
    }
}
