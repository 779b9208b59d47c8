// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeWriter;

/** A call on a directory that fails once, as it does while a server fails over, fails neither it nor its content. */
class PassingErrorOfDirectoryTest {

    private static final int CHUNK = 4096;
    private static final CopyOptions OPTIONS = archive().threads(1).fsync(true).build();
    private static final ByteString ACL = PosixAcl.of(4711, 4712);

    private static void make(TreeWriter writer) {
        writer.file(path("there/large"), 3 * CHUNK, 1)
                .directory(path("new/below"))
                .mode(path("there"), 0750)
                .mode(path("new"), 01775)
                .attribute(path("new"), path("user.x"), path("y"))
                .attribute(path("new/below"), PosixAcl.ACCESS, ACL);
    }

    // A directory that exists with another mode and ACL, and whose default ACL the new ones would inherit.
    private static void makeTarget(TreeWriter writer) {
        writer.directory(path("there"))
                .mode(path("there"), 0500)
                .attribute(path("there"), PosixAcl.ACCESS, ACL)
                .attribute(path(""), PosixAcl.DEFAULT, ACL);
    }

    /** A copy, a part of which makes the calls that may fail; returns those calls. */
    private interface Case {
        FaultInjectingCalls run(Copies copies, FaultInjectingCalls calls, List<String> failures);
    }

    private static void withEachCallFailingOnce(Case run) {
        List<String> wrong = new ArrayList<>();
        boolean isMet = true;
        for (long n = 1; isMet; n++) {
            try (Copies copies = Copies.onTmpfs()) {
                copies.with(PassingErrorOfDirectoryTest::make).there(PassingErrorOfDirectoryTest::makeTarget);
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().nth(n).fails(Errno.ESTALE));
                List<String> failures = new ArrayList<>();
                run.run(copies, calls, failures);
                isMet = calls.total() >= n;
                if (failures.isEmpty()) {
                    copies.isCopied().hasNoTemporaries();
                } else {
                    wrong.add(n + ": " + failures);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void directoriesAreFinishedWhicheverCallFails() {
        withEachCallFailingOnce((copies, calls, failures) -> {
            Batches before = Batches.of(copies, OPTIONS, 1, 1, CHUNK);
            before.copyAll(new Random(1)).finishFiles();
            Batches batches = before.through(calls);
            batches.finishDirectories();
            batches.failures.forEach(failure -> failures.add(failure.toString()));
            return calls;
        });
    }

    @Test
    void chunksAreCopiedWhicheverCallFails() {
        withEachCallFailingOnce((copies, calls, failures) -> {
            Batches failing = Batches.of(copies, OPTIONS, 1, 1, CHUNK, calls);
            failing.copyChunks(0);
            failing.failures.forEach(failure -> failures.add(failure.toString()));
            Batches rest = failing.through(Linux.calls());
            rest.copy(0);
            rest.finish();
            return calls;
        });
    }

    @Test
    void anErrorThatRemainsIsReportedOnce() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(PassingErrorOfDirectoryTest::make);
            Batches batches = Batches.of(copies, OPTIONS, 1, 1, CHUNK, FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.FUTIMENS).named("below").fails(Errno.ESTALE)));
            batches.copyAll(new Random(1)).finish();
            assertThat(batches.failures).singleElement()
                    .satisfies(failure -> assertThat(failure.toString()).contains("below", "utimensat"));
        }
    }
}
