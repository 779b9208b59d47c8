// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.Worker;

/** A change that closes directories to an ordinary user is resumed after its finishing was killed. */
class ClosedDirectoriesTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.directory("tree");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        }
    };
    private final FileSystemCalls ordinary = new OrdinaryUser(Linux.calls());

    /** The calls of a user who needs search permission, although root runs the tests. */
    private static final class OrdinaryUser extends InterceptedCalls {

        OrdinaryUser(FileSystemCalls calls) {
            super(calls);
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            boolean isName = switch (call) {
                case OPENAT, STATX, FCHMODAT ->
                    descriptor >= 0 && name.byteSize() > 0 && name.get(ValueLayout.JAVA_BYTE, 0) != 0;
                default -> false;
            };
            return isName && (mode(Path.of("/proc/self/fd/" + descriptor)) & 0100) == 0
                    ? -Errno.EACCES
                    : made.getAsLong();
        }
    }

    /** Ends a finishing, which takes exceptions for faults of the operation. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    private static int mode(Path path) {
        try {
            return (int) Files.getAttribute(path, "unix:mode");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void makeTree() throws IOException {
        for (String name : List.of("a/b/c/d", "a/b/e", "a/f", "g/h", "i")) {
            Path made = Files.createDirectories(tree.resolve(name));
            Files.createFile(made.resolve("file"));
        }
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private Transfers transfers() throws IOException {
        return Transfers.in(directory.resolve("state"));
    }

    private TransferDirectory plan() throws IOException {
        TransferDirectory transfer = WalkedPlans.onEntries(transfers(),
                new Operation.ChangeMode(ModeChange.parse("a-x", 0)), tree, 1, 1, listener);
        int generation = transfers().start(transfer);
        Worker.of(ordinary, transfer, generation).work(listener, new Progress(), new Cancellation());
        return transfer;
    }

    private boolean isKilled(TransferDirectory transfer, int number) throws IOException {
        Fault end = Fault.on(Call.FCHMODAT).nth(number).runs(call -> {
            throw new Killed();
        });
        try {
            finish(FaultInjectingCalls.over(ordinary, end), transfer);
            return false;
        } catch (Killed e) {
            return true;
        }
    }

    private TransferResult finish(FileSystemCalls calls, TransferDirectory transfer) throws IOException {
        return Finishing.of(calls, transfer, transfer.generations().newest())
                .finish(listener, new Progress(), new Cancellation());
    }

    private TransferResult resume(TransferDirectory transfer) throws IOException {
        return TransferRunner.of(ordinary, transfer)
                .run(transfers().resume(transfer), listener, new Progress(), new Cancellation());
    }

    private void open() throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(tree)) {
            all = found.filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)).toList();
        }
        for (Path path : all) {
            Files.setAttribute(path, "unix:mode", 0755);
        }
    }

    @Test
    void aFinishingThatIsKilledAtAnyDirectoryIsResumed() throws IOException {
        boolean isKilled = true;
        int number = 1;
        for (; isKilled; number++) {
            TransferDirectory transfer = plan();
            isKilled = isKilled(transfer, number);
            if (isKilled) {
                transfers().resume(transfer);
                isKilled(transfer, 2);
                assertThat(resume(transfer).state()).as("killed at " + number).isEqualTo(TransferResult.State.COMPLETE);
            }
            assertThat(failures).as("killed at " + number).isEmpty();
            try (Stream<Path> all = Files.walk(tree)) {
                assertThat(all).allSatisfy(path -> assertThat(mode(path) & 0111).as(path.toString()).isZero());
            }
            open();
        }
        assertThat(number).isGreaterThan(9);
    }

    @Test
    void aDirectoryThatTheUserClosedIsNotTakenForDone() throws IOException {
        TransferDirectory transfer = plan();
        Files.setAttribute(tree.resolve("a"), "unix:mode", 0600);
        assertThat(finish(ordinary, transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(failures).anyMatch(text -> text.contains("a/b/c/d") && text.contains("EACCES"));
        assertThat(mode(tree.resolve("a/b")) & 0111).isEqualTo(0111);
        failures.clear();
        assertThat(resume(transfer).state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(failures).anyMatch(text -> text.contains("a/b/c/d") && text.contains("EACCES"));
    }
}
