// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.InjectedFault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;

/**
 * A small tree is moved again and again to another file system; each time another system call fails once. Whatever
 * fails: each entry is whole at the source or at the target, what stays is reported, and a repeated move succeeds.
 */
class MoveFaultTest {

    // The distance between two faults in the normal run: a prime, so that it meets every kind of call.
    private static final int STEP = 13;

    // Errors after which the copy may lack something that a notice names, such as a hard link.
    private static final Set<Integer> NOTICED = Set.of(Errno.EPERM, Errno.EMLINK, Errno.EXDEV, Errno.EOPNOTSUPP);

    /** A run of a move. */
    private record Ran(FaultInjectingCalls calls, MoveResult result, List<EntryFailure> failures,
            List<String> notices) {}

    private static ByteString path(String path) {
        return ByteString.of(path);
    }

    private static void make(Path source) throws IOException {
        Files.createDirectories(source);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(path("small"), 1000, 1)
                    .file(path("d/empty"), 0, 1)
                    .file(path("d/two-buffers"), 300_000, 2)
                    .sparse(path("d/sparse"), 1 << 20, 65536)
                    .hardLink(path("small"), path("d/link"))
                    .hardLink(path("small"), path("e/third"))
                    .symlink(path("d/symlink"), path("nowhere"))
                    .special(path("d/fifo"), EntryKind.FIFO, 0)
                    .file(path("e/attributes"), 10, 4)
                    .attribute(path("e/attributes"), path("user.a"), path("b"))
                    .attribute(path("e/attributes"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321))
                    .mode(path("small"), 0640)
                    .mode(path("e"), 0750);
        }
    }

    private static Ran move(Path source, Path target, Fault... faults) {
        FaultInjectingCalls calls = MoveProcess.apart(faults);
        List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
        List<String> notices = Collections.synchronizedList(new ArrayList<>());
        MoveResult result = TreeMover.of(calls, CopyOptions.archive().threads(1).build())
                .move(List.of(CopyPair.of(source, target)), event -> {
                    if (event instanceof Event.Failed(EntryFailure failure)) {
                        failures.add(failure);
                    }
                    if (event instanceof Event.Notice(String text)) {
                        notices.add(text);
                    }
                }, new Progress(), new Cancellation());
        return new Ran(calls, result, failures, notices);
    }

    private static void suffer(TestDirectory directory, TreeListing wanted, InjectedFault injected) throws IOException {
        Path source = directory.resolve(MoveProcess.SOURCE);
        Path target = directory.resolve("target");
        Ran ran = move(source, target, injected.fault());
        if (Files.exists(source)) {
            // Another process removed the entry, as far as the call shows.
            boolean seemsGone = injected.call() == Call.STATX && injected.errno() == Errno.ENOENT;
            assertThat(seemsGone || !ran.result().isComplete() || !ran.failures().isEmpty())
                    .as("what stays is reported")
                    .isTrue();
            KilledMoveTest.assertNothingIsLost(wanted.byPath(), KilledMoveTest.listing(source),
                    KilledMoveTest.listing(target));
            Ran again = move(source, target);
            assertThat(again.failures()).as("of the repeated move").isEmpty();
            assertThat(source).doesNotExist();
            // Directories have the time at which their entries were removed. A name that seems gone is left when the other
            // names of its file are removed.
            boolean mayDivide = injected.errno() == Errno.ENOENT || injected.errno() == Errno.ESTALE;
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                    .ignoring(Aspect.DIRECTORY_TIMES, mayDivide ? Aspect.LINKS : Aspect.DIRECTORY_TIMES)
                    .isCopyOf(wanted);
        } else if (NOTICED.contains(injected.errno()) && !ran.notices().isEmpty()) {
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                    .ignoring(Aspect.HOLES, Aspect.LINKS, Aspect.ATTRIBUTES, Aspect.ACLS, Aspect.MODE)
                    .isCopyOf(wanted);
        } else {
            // Without SEEK_DATA, holes may be copied as zeros.
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).ignoring(Aspect.HOLES).isCopyOf(wanted);
        }
        if (ran.failures().stream().noneMatch(failure -> failure.toString().contains(".treehaul-mv-"))
                && ran.notices().stream().noneMatch(notice -> notice.contains(".treehaul-mv-"))) {
            assertThat(directory.path()).isDirectoryNotContaining("glob:**.treehaul*");
        }
    }

    private static void empty(TestDirectory directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory.path())) {
            for (Path entry : entries.toList()) {
                if (Files.isDirectory(entry)) {
                    TreeRemoval.remove(Linux.calls(), entry);
                } else {
                    Files.delete(entry);
                }
            }
        }
    }

    private static void campaign(int step) throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = directory.resolve(MoveProcess.SOURCE);
            Path target = directory.resolve("target");
            make(source);
            List<InjectedFault> injections = InjectedFault.inEach(move(source, target).calls().counts());
            List<String> wrong = new ArrayList<>();
            for (int i = 0; i < injections.size(); i += step) {
                empty(directory);
                make(source);
                TreeListing wanted = TreeListing.of(Linux.calls(), source);
                InjectedFault injected = injections.get(i);
                try {
                    suffer(directory, wanted, injected);
                } catch (AssertionError e) {
                    wrong.add(injected + ": " + e.getMessage());
                }
            }
            assertThat(wrong).as("of " + injections.size() / step).isEmpty();
        }
    }

    @Test
    void someCallsFailOnce() throws IOException {
        campaign(STEP);
    }

    @Tag("campaign")
    @Test
    void everyCallFailsOnce() throws IOException {
        campaign(1);
    }
}
