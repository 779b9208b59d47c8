// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeWriter;

/** A copy succeeds whichever of its calls fails once with an error that may pass. */
class PassingErrorOfAnyCallTest {

    private static void make(TreeWriter writer) {
        writer.file(path("d/small"), 5, 1)
                .file(path("d/large"), 300_000, 2)
                .hardLink(path("d/small"), path("name"))
                .symlink(path("d/l"), path("x"))
                .special(path("p"), EntryKind.FIFO, 0)
                .hardLink(path("p"), path("q"))
                .attribute(path("d"), path("user.x"), path("y"))
                .attribute(path("d/small"), PosixAcl.ACCESS, PosixAcl.of(4711, 4712));
    }

    private static void makeOther(TreeWriter writer) {
        writer.symlink(path("d/l"), path("other")).special(path("p"), EntryKind.FIFO, 0).file(path("d/large"), 3, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isTriedAgain(boolean replaces) {
        CopyOptions options = archive().threads(1).build();
        List<String> wrong = new ArrayList<>();
        boolean isMet = true;
        for (long n = 1; isMet; n++) {
            try (Copies copies = Copies.onTmpfs()) {
                copies.with(PassingErrorOfAnyCallTest::make);
                if (replaces) {
                    copies.there(PassingErrorOfAnyCallTest::makeOther);
                }
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().nth(n).fails(Errno.ESTALE));
                Copies.Ran ran = copies.copy(calls, options);
                isMet = calls.total() >= n;
                if (ran.failures().isEmpty()) {
                    copies.isCopied().hasNoTemporaries();
                } else {
                    wrong.add(n + ": " + ran.failed());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }
}
