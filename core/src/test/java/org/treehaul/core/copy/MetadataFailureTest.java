// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.batch.Batches;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;

/** An entry that exists without all its metadata has failed: it is not reported as done too. */
class MetadataFailureTest {

    private final Copies copies = Copies.onTmpfs();

    @BeforeEach
    void make() {
        copies.with(writer -> writer.file(path("d/file"), 10, 1)
                .hardLink(path("d/file"), path("d/name"))
                .symlink(path("d/link"), path("file"))
                .special(path("d/fifo"), EntryKind.FIFO, 0)
                .file(path("d/large"), 3 << 20, 2));
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    @ParameterizedTest
    @EnumSource(CopyOptions.Verify.class)
    void eachKindOfEntryIsReportedOnce(CopyOptions.Verify verify) {
        Copies.Ran ran = copies.copy(archive().threads(1).verify(verify).fsync(true).reportDone(true).build(),
                Fault.on(Call.FUTIMENS, Call.UTIMENSAT).fails(Errno.EIO));
        assertThat(ran.failed()).hasSize(6).allMatch(failure -> failure.endsWith("utimensat 5"));
        // A further name is a link, without anything of its own that could fail.
        assertThat(ran.done()).hasSize(1).allMatch(done -> done.startsWith("link "));
        assertThat(ran.result().counts().entries()).isOne();
        assertThat(ran.result().counts().directories()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", ""})
    void anErrorThatPassesIsNotReported(String opened) {
        copies.copy(archive().threads(1).build(), Fault.on(Call.FUTIMENS).named(opened).nth(1).fails(Errno.ESTALE))
                .succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void finishingDoesNotReportFailedEntriesAsDone() {
        Batches batches = Batches.of(copies, archive().threads(1).build(), 2, 1, 1 << 20,
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FUTIMENS, Call.UTIMENSAT).fails(Errno.EIO)));
        batches.copyAll(new Random(1)).finish();
        // Two directories and four entries.
        assertThat(batches.failures).hasSize(6);
        assertThat(batches.told.values()).filteredOn(told -> told.contains("done")).hasSizeLessThanOrEqualTo(1);
        assertThat(batches.toldOfOthers.get("d/large")).isNotNull().noneMatch(told -> told.equals("done"));
    }

    // The permissions of its group may be the mask of an ACL.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDirectoryWhoseAclCannotBeReadStaysPrivate(boolean isInBatches) {
        copies.with(writer -> writer.mode(path("d"), 0770));
        Fault fault = Fault.on(Call.FLISTXATTR).named("d").fails(Errno.EIO);
        if (isInBatches) {
            Batches batches = Batches
                    .of(copies, archive().threads(1).build(), 2, 1, 1 << 20,
                            FaultInjectingCalls.over(Linux.calls(), fault))
                    .copyAll(new Random(1))
                    .finish();
            assertThat(batches.failures).hasSize(1);
        } else {
            Copies.Ran ran = copies.copy(archive().threads(1).reportDone(true).build(), fault);
            assertThat(ran.failed()).containsExactly("ERROR d listxattr 5");
            assertThat(ran.done()).noneMatch(done -> done.endsWith("/d"));
            assertThat(ran.result().counts().directories()).as("the root").isOne();
        }
        assertThat(copies.targetListing().find("d").orElseThrow().status().permissions()).isEqualTo(0700);
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }
}
