// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.InjectedFault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeWriter;

/**
 * Small trees are synced again and again; each time another system call fails once. Whatever fails: the source is
 * unchanged, a run that says it succeeded has made the trees equal, and a repeated run does.
 */
class SyncFaultTest {

    // The distance between two faults in the normal run: a prime, so that it meets every kind of call.
    private static final int STEP = 59;

    private static void makeSource(TreeWriter writer) {
        writer.file(bytes("same"), 100, 1)
                .file(bytes("d/changed"), 300_000, 2)
                .file(bytes("d/new"), 700, 3)
                .symlink(bytes("d/link"), bytes("new"))
                .file(bytes("moved/here/data"), 5000, 4)
                .file(bytes("moved/here/more"), 300_001, 5)
                .attribute(bytes("moved/here/data"), bytes("user.a"), bytes("b"))
                .hardLink(bytes("same"), bytes("d/same"))
                .file(bytes("d/was-directory"), 5, 5)
                .special(bytes("fifo"), EntryKind.FIFO, 0)
                .mode(bytes("d"), 0750);
    }

    /** Trees that need every kind of change. */
    private static SyncTrees make() throws Exception {
        SyncTrees trees = new SyncTrees();
        trees.source(SyncFaultTest::makeSource);
        assertThat(trees.sync(SyncOptions.defaults()).isSuccess()).isTrue();
        Files.move(trees.copy.resolve("moved"), trees.copy.resolve("old"));
        Path changed = trees.copy.resolve("d/changed");
        Files.writeString(changed, "other");
        Files.delete(trees.copy.resolve("d/new"));
        Files.delete(trees.copy.resolve("d/was-directory"));
        trees.copy(w -> w.file(bytes("d/was-directory/x"), 3, 3)
                .file(bytes("gone/y"), 3, 3)
                .mode(bytes("same"), 0600)
                .mode(bytes("d"), 0700));
        return trees;
    }

    private static void suffer(KilledSyncTest.Mode mode, InjectedFault injected) throws Exception {
        try (SyncTrees trees = make()) {
            SyncOptions options = KilledSyncTest.options(mode, 1);
            SyncResult result = null;
            try {
                result = trees.sync(FaultInjectingCalls.over(Linux.calls(), injected.fault()), options);
            } catch (CopyRefusedException e) {
                assertThat(e.getMessage()).isNotEmpty();
            }
            String report = result + " " + trees.events;
            // A name that seems gone was removed by another process, as far as the call shows.
            boolean seemsGone = injected.errno() == Errno.ENOENT;
            boolean hasNotice = trees.events.stream().anyMatch(event -> event.startsWith("Notice"));
            if (result != null && result.isSuccess() && !seemsGone && !hasNotice) {
                isCopy(trees, report);
            }
            // Where the first run kept the content of a directory, no file can be kept.
            SyncResult again = trees
                    .sync(mode == KilledSyncTest.Mode.BACKUP ? options.withBackup(bytes("../kept2")) : options);
            assertThat(again.isSuccess()).as("of the repeated run: " + trees.events + " after " + report).isTrue();
            isCopy(trees, "repeated, after " + report);
        }
    }

    private static void isCopy(SyncTrees trees, String report) {
        TreeAssert.assertThat(SyncTrees.listing(trees.copy))
                .as(report)
                .ignoring(Aspect.HOLES)
                .isCopyOf(SyncTrees.listing(trees.source));
    }

    private static void campaign(KilledSyncTest.Mode mode, int step) throws Exception {
        List<InjectedFault> injections;
        try (SyncTrees trees = make()) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            assertThat(trees.sync(calls, KilledSyncTest.options(mode, 1)).isSuccess()).isTrue();
            injections = InjectedFault.inEach(calls.counts());
        }
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < injections.size(); i += step) {
            InjectedFault injected = injections.get(i);
            try {
                suffer(mode, injected);
            } catch (AssertionError | RuntimeException | IOException e) {
                wrong.add(injected + ": " + e);
            }
        }
        assertThat(wrong).as("of " + injections.size() / step).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = KilledSyncTest.Mode.class, names = {"BACKUP", "RENAMES"})
    void someCallsFailOnce(KilledSyncTest.Mode mode) throws Exception {
        campaign(mode, STEP);
    }

    @Tag("campaign")
    @ParameterizedTest
    @EnumSource(KilledSyncTest.Mode.class)
    void everyCallFailsOnce(KilledSyncTest.Mode mode) throws Exception {
        campaign(mode, 1);
    }
}
