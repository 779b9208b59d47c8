// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;

import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanAhead;
import org.treehaul.core.plan.PlanClaim;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/** A plan that was written before a copy was requested. */
class PlanAheadTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private Path plan() throws IOException {
        Path plan = fixture.directory().resolve("plan");
        PlanRequest request = WalkedPlans.request("ahead", WalkedPlans.arguments(fixture.source(), fixture.target()),
                TransferFixture.options(), false);
        WalkedPlans.plan(plan, request.withToken(false), Linux.calls());
        return plan;
    }

    private TransferDirectory carry(Path plan) throws IOException {
        TransferDirectory transfer = fixture.create();
        PlanAhead.carry(Linux.calls(), plan, transfer.plan(), transfer.id().text(), PlanClaim.always());
        return transfer;
    }

    @Test
    void isCarriedOutAsOftenAsOneLikes() throws IOException {
        fixture.with(TransferTest::tree);
        Path plan = plan();
        assertThat(TransferFixture.names(fixture.directory().resolve("D"))).as("nothing is written").isEmpty();
        for (int i = 0; i < 2; i++) {
            TransferDirectory transfer = carry(plan);
            assertThat(fixture.token(transfer)).exists();
            assertThat(fixture.run(transfer, fixture.transfers().start(transfer), 2).state())
                    .isEqualTo(TransferResult.State.COMPLETE);
            fixture.isCopied();
            TreeRemoval.remove(Linux.calls(), fixture.target());
        }
        assertThat(Plan.open(plan).header().id()).isEqualTo("ahead");
    }

    @Test
    void entriesChangedSinceThePlanAreCopiedAsTheyAreAndCounted() throws IOException {
        fixture.with(writer -> writer.file(path("changed"), 10, 1)
                .file(path("gone"), 10, 2)
                .file(path("same"), 10, 3)
                .file(path("large"), 3 * TransferFixture.CHUNK_BYTES, 4));
        Path plan = plan();
        fixture.with(writer -> writer.remove(path("changed"))
                .file(path("changed"), 20, 5)
                .remove(path("gone"))
                .remove(path("large"))
                .file(path("large"), 2 * TransferFixture.CHUNK_BYTES + 7, 6)
                .file(path("new"), 10, 7));
        TransferDirectory transfer = carry(plan);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 1);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.changed()).isPositive();
        assertThat(fixture.target().resolve("changed")).hasSameBinaryContentAs(fixture.source().resolve("changed"));
        assertThat(fixture.target().resolve("large")).hasSameBinaryContentAs(fixture.source().resolve("large"));
        assertThat(fixture.target().resolve("new")).doesNotExist();
    }

    // Recorded with the program that wrote format 1; only the paths in it are replaced.
    @Test
    void oneOfFormat1IsCarriedOut() throws Exception {
        Path plan = fixture.directory().resolve("plan");
        FileUtils.copyDirectory(
                Path.of(Objects.requireNonNull(Plan.class.getResource("/org/treehaul/core/plan/format-1")).toURI())
                        .toFile(),
                plan.toFile());
        String header = sum(rewrite(plan.resolve("header"),
                text -> text.replace("/source\t/target", fixture.source() + "\t" + fixture.target())));
        rewrite(plan.resolve("sealed"), text -> text.replaceFirst("(file\theader\t).*", "$1" + header));
        fixture.with(writer -> writer.file(path("a"), 5, 1)
                .directory(path("dir"))
                .hardLink(path("a"), path("dir/also"))
                .file(path("dir/dense"), 70_000, 2)
                .special(path("fifo"), EntryKind.FIFO, 0)
                .sparse(path("large"), 3 << 20, 2 << 20)
                .symlink(path("link"), path("a")));
        for (String name : List.of("a", "dir/dense", "large")) {
            Files.setLastModifiedTime(fixture.source().resolve(name),
                    FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
        }
        TransferDirectory transfer = carry(plan);
        // The old format knows no holes.
        assertThat(Plan.open(transfer.plan()).totals().orElseThrow().data()).isEqualTo(5 + 70_000 + (3 << 20));
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
        TransferStatus status = fixture.transfers().status(transfer);
        assertThat(status.total(BatchStatus::data)).isEqualTo(status.total(BatchStatus::bytes));
        assertThat(status.percent()).isEqualTo(100);
    }

    private static String rewrite(Path file, UnaryOperator<String> change) throws IOException {
        String old = Files.readString(file);
        String text = change.apply(old.substring(0, old.lastIndexOf("crc32c\t")));
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file, text + "crc32c\t" + String.format("%08x", crc.getValue()) + "\n");
        return Files.readString(file);
    }

    private static String sum(String text) {
        return text.substring(text.lastIndexOf('\t') + 1).strip();
    }

    @Test
    void oneThatIsCopiedListsNoBatchBeforeItsManifestIsThere() throws IOException {
        fixture.with(TransferTest::tree);
        Path plan = plan();
        Files.delete(plan.resolve("manifest/3"));
        TransferDirectory transfer = fixture.create();
        assertThatThrownBy(
                () -> PlanAhead.carry(Linux.calls(), plan, transfer.plan(), transfer.id().text(), PlanClaim.always()))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("manifest/3");
        assertThat(transfer.plan().resolve("manifest/2")).exists();
        assertThat(Plan.open(transfer.plan()).batchCount()).isZero();
    }

    @Test
    void onesThatAreNotFinishedOrDamagedAreRefusedAndLeaveNoToken() throws IOException {
        fixture.with(writer -> writer.file(path("file"), 10, 1));
        Path plan = plan();
        TransferDirectory transfer = fixture.create();
        Files.writeString(plan.resolve("probes"), "treehaul-probes\t1\ncrc32c\t00000000\n");
        assertThatThrownBy(
                () -> PlanAhead.carry(Linux.calls(), plan, transfer.plan(), transfer.id().text(), PlanClaim.always()))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("probes");
        Files.delete(plan.resolve("sealed"));
        Files.delete(plan.resolve("probes"));
        assertThatThrownBy(
                () -> PlanAhead.carry(Linux.calls(), plan, transfer.plan(), transfer.id().text(), PlanClaim.always()))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("is not finished");
        assertThat(TransferFixture.names(fixture.directory().resolve("D"))).isEmpty();
    }
}
