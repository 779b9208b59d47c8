// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;

/**
 * A file that was copied in chunks is finished although a call fails, as it does while a server fails over: the copied
 * chunks are not lost, and a failure that remains is reported.
 */
class PassingErrorTest {

    private static final long CHUNK = 1 << 20;

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void close() {
        copies.close();
    }

    private static void make(TreeWriter writer) {
        writer.file(path("d/large"), 2 * CHUNK + 123, 1)
                .mode(path("d/large"), 0640)
                .attribute(path("d/large"), path("user.x"), path("y"));
    }

    /** Copies the chunks without faults. */
    private static Batches copied(Copies copies, CopyOptions options, FaultInjectingCalls finishing) {
        Batches copying = Batches.of(copies, options, 1, 1, CHUNK);
        copying.copyAll(new Random(1));
        Batches batches = Batches.of(copies, options, 1, 1, CHUNK, finishing);
        batches.copiedChunks().putAll(copying.copiedChunks());
        return batches;
    }

    private Batches finished(CopyOptions options, Fault... faults) {
        Batches batches = copied(copies, options, FaultInjectingCalls.over(Linux.calls(), faults));
        batches.finishFiles();
        return batches;
    }

    @ParameterizedTest
    @EnumSource(names = {"FSYNC", "FCHMOD", "FUTIMENS", "FSETXATTR", "RENAMEAT2"})
    void keepsTheChunks(Call call) {
        copies.with(PassingErrorTest::make).there(writer -> writer.file(path("d/large"), 3, 3));
        Batches batches = finished(archive().build(), Fault.on(call).nth(1).fails(Errno.ESTALE));
        assertThat(batches.failures).isEmpty();
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("done")));
        batches.finishDirectories();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void keepsTheChunksWhicheverCallFails() {
        List<String> wrong = new ArrayList<>();
        boolean isMet = true;
        for (long n = 1; isMet; n++) {
            try (Copies again = Copies.onTmpfs()) {
                again.with(PassingErrorTest::make).there(writer -> writer.file(path("d/large"), 3, 3));
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().nth(n).fails(Errno.ESTALE));
                Batches batches = copied(again, archive().threads(1).build(), calls);
                batches.finishFiles();
                isMet = calls.total() >= n;
                if (!batches.failures.isEmpty()) {
                    wrong.add(n + ": " + batches.failures);
                    continue;
                }
                batches.finishDirectories();
                again.isCopied().hasNoTemporaries();
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void descriptorsOfOtherDirectoriesAreFreedWhereNoneIsLeft() {
        copies.with(writer -> writer.file(path("d/large"), 2 * CHUNK, 1).file(path("e/larger"), 2 * CHUNK, 2));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("larger").nth(1).fails(Errno.EMFILE));
        Batches batches = Batches.of(copies, archive().threads(1).build(), 1, 1, CHUNK, calls);
        batches.copyAll(new Random(1)).finish();
        assertThat(batches.failures).isEmpty();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void anErrorOfTheTimesThatRemainsIsReportedAndTheFileHasItsName() {
        copies.with(PassingErrorTest::make);
        Batches batches = finished(archive().build(), Fault.on(Call.FUTIMENS).fails(Errno.ESTALE));
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("ERROR utimensat " + Errno.ESTALE)));
        assertThat(copies.at("d/large")).hasSameBinaryContentAs(copies.source().resolve("d/large"));
        copies.hasNoTemporaries();
    }

    @Test
    void aPassingErrorOfTheModeIsReportedIfTimesAreNotPreserved() {
        copies.with(PassingErrorTest::make);
        CopyOptions modes = CopyOptions.builder().recursive(true).preserve(EnumSet.of(Preserve.MODE)).build();
        Batches batches = finished(modes, Fault.on(Call.FCHMOD).fails(Errno.ESTALE));
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("ERROR fchmod " + Errno.ESTALE)));
    }

    @Test
    void aFileThatTookTheNameWhileItWasFinishedIsKept() {
        copies.with(PassingErrorTest::make);
        Batches batches = finished(archive().existing(CopyOptions.Existing.SKIP).build(),
                Fault.on(Call.FUTIMENS)
                        .nth(1)
                        .runs(call -> copies.there(writer -> writer.file(path("d/large"), 3, 3))));
        assertThat(batches.toldOfOthers).isEqualTo(Map.of("d/large", List.of("skipped")));
        assertThat(copies.at("d/large")).hasSize(3);
        copies.hasNoTemporaries();
    }
}
