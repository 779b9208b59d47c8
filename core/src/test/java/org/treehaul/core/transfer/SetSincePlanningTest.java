// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/** Changes by jobs do not undo a mode or an owner that a user has set after the plan was made. */
class SetSincePlanningTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.directory("tree");
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().kind() + " " + failed.failure().path());
        }
    };

    @BeforeEach
    void make() throws IOException {
        for (String name : List.of("a/b/f", "c/f", "d/f")) {
            Path file = tree.resolve(name);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            set(name, 0644);
        }
        for (String name : List.of("", "a", "a/b", "c", "d")) {
            set(name, 0755);
        }
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private void set(String name, int mode) throws IOException {
        Files.setAttribute(tree.resolve(name), "unix:mode", mode);
    }

    private int mode(String name) throws IOException {
        return (int) Files.getAttribute(tree.resolve(name), "unix:mode") & 07777;
    }

    private Transfers transfers() throws IOException {
        return Transfers.in(directory.resolve("state"));
    }

    private TransferDirectory plan(Operation.OnEntries operation) throws IOException {
        return WalkedPlans.onEntries(transfers(), operation, tree, 1, 1, listener);
    }

    private static Operation.OnEntries mode(ModeChange change) {
        return new Operation.ChangeMode(change);
    }

    private TransferResult run(FileSystemCalls calls, TransferDirectory transfer) throws IOException {
        return TransferRunner.of(calls, transfer)
                .run(transfers().start(transfer), listener, new Progress(), new Cancellation());
    }

    @Test
    void theModeOfADirectoryIsKeptAndReported() throws IOException {
        TransferDirectory transfer = plan(mode(ModeChange.parse("go=", 0)));
        set("a", 0711);
        // As another job would leave it.
        set("d", 0700);
        // The content may change.
        Files.createFile(tree.resolve("c/new"));
        TransferResult result = run(Linux.calls(), transfer);
        assertThat(failures).containsExactly("CHANGED a");
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(List.of(mode(""), mode("a"), mode("a/b"), mode("c"), mode("d"), mode("a/b/f"))).containsExactly(0700,
                0711, 0700, 0700, 0700, 0600);
    }

    @Test
    void theOwnerOfADirectoryIsKeptAndReported() throws IOException {
        Privilege.requireRoot("it changes owners");
        TransferDirectory transfer = plan(new Operation.ChangeOwner(
                new OwnerChange(OptionalLong.of(7), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty())));
        Files.setAttribute(tree.resolve("a"), "unix:gid", 8);
        run(Linux.calls(), transfer);
        assertThat(failures).containsExactly("CHANGED a");
        assertThat(Files.getAttribute(tree.resolve("a"), "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(tree.resolve("a/b"), "unix:uid")).isEqualTo(7);
    }

    private FaultInjectingCalls settingBefore(Call call, String name, int mode) {
        return FaultInjectingCalls.over(Linux.calls(), Fault.on(call).named(name).nth(1).runs(made -> {
            try {
                Files.setAttribute(tree.resolve("c/f"), "unix:mode", mode);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
    }

    @Test
    void aModeSetAfterTheFirstNameOfAFileWasChangedIsKeptAndReported() throws IOException {
        Files.createLink(tree.resolve("d/second"), tree.resolve("c/f"));
        TransferDirectory transfer = plan(mode(ModeChange.parse("go=", 0)));
        run(settingBefore(Call.STATX, "second", 0604), transfer);
        assertThat(failures).containsExactly("CHANGED d/second");
        assertThat(mode("c/f")).isEqualTo(0604);
    }

    @Test
    void namesOfOneFileAreDoneByTheChangeOfTheFirst() throws IOException {
        Files.createLink(tree.resolve("d/second"), tree.resolve("c/f"));
        TransferDirectory transfer = plan(mode(ModeChange.parse("go=", 0)));
        assertThat(run(Linux.calls(), transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(failures).isEmpty();
        assertThat(mode("c/f")).isEqualTo(0600);
    }

    @Test
    void aModeSetAfterTheComparisonIsKeptAndReported() throws IOException {
        Files.move(tree.resolve("c/f"), tree.resolve("c/single"));
        Files.createSymbolicLink(tree.resolve("c/f"), Path.of("single"));
        TransferDirectory transfer = plan(mode(ModeChange.parse("g+w", 0)));
        run(settingBefore(Call.OPENAT, "single", 0604), transfer);
        assertThat(failures).containsExactly("CHANGED c/single");
        assertThat(mode("c/single")).isEqualTo(0604);
    }
}
