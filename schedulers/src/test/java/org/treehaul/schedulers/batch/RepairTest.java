// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.TransferRequest;

/** Repairs of verifications, whose jobs the test carries out. */
class RepairTest extends TransfersByHand {

    @BeforeEach
    void makeSource() throws Exception {
        Files.createDirectories(source.resolve("d/e"));
        Files.createDirectories(source.resolve("alone"));
        Files.writeString(source.resolve("same"), "same");
        Files.writeString(source.resolve("d/data"), "data");
        Files.writeString(source.resolve("d/e/deep"), "deep");
        Files.writeString(source.resolve("alone/untouched"), "untouched");
        Files.writeString(source.resolve("name1"), "linked");
        Files.createLink(source.resolve("d/name2"), source.resolve("name1"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("same"));
        Files.writeString(source.resolve("odd\nname"), "odd");
    }

    private BatchTransfer copied(CopyOptions options, Path... operands) throws Exception {
        List<ByteString> paths = new ArrayList<>();
        for (Path operand : operands) {
            paths.add(bytes(operand));
        }
        BatchTransfer copy = create(CopyRequest.of(paths, options, 2));
        run(copy);
        return copy;
    }

    private BatchTransfer copied() throws Exception {
        return copied(CopyOptions.archive().build(), source, target);
    }

    private void run(BatchTransfer transfer) throws Exception {
        work(transfer, submit(transfer));
    }

    private BatchTransfer verified(BatchTransfer copy) throws Exception {
        BatchTransfer verification = BatchTransfer.createVerify(state, jar, copy.id(), JOBS, scheduler::named);
        run(verification);
        return verification;
    }

    private List<BatchTransfer> repairs(BatchTransfer verification) throws Exception {
        return BatchTransfer.createRepairs(state, jar, verification.id(), JOBS, scheduler::named);
    }

    private List<String> failures(BatchTransfer transfer) throws IOException {
        List<String> failures = new ArrayList<>();
        Transfers.in(state).failures(transfer.directory(), record -> failures.add(record.failure().toString()));
        return failures;
    }

    private static boolean asksServers(BatchTransfer transfer) throws IOException {
        return TransferRequest.find(transfer.directory()).orElseThrow().copy().orElseThrow().batching().byServers();
    }

    private void damage(String name, String text) throws IOException {
        Path file = target.resolve(name);
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, time);
    }

    private Object inode(String name) throws IOException {
        return Files.getAttribute(target.resolve(name), "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void everythingThatDiffersIsCopiedAgainAndNothingElse() throws Exception {
        BatchTransfer copy = copied();
        Object same = inode("same");
        Object untouched = inode("alone/untouched");
        damage("d/data", "dat4");
        damage("odd\nname", "0dd");
        damage("name1", "l1nked");
        Files.delete(target.resolve("d/e/deep"));
        Files.delete(target.resolve("d/e"));
        Files.delete(target.resolve("link"));
        Files.writeString(target.resolve("extra"), "extra");
        Files.setPosixFilePermissions(target.resolve("alone"), PosixFilePermissions.fromString("rwx------"));
        BatchTransfer verification = verified(copy);
        assertThat(failures(verification)).hasSizeGreaterThanOrEqualTo(7);

        List<BatchTransfer> repairs = repairs(verification);
        assertThat(repairs).hasSize(1);
        BatchTransfer repair = repairs.getFirst();
        assertThat(asksServers(repair)).isTrue();
        assertThat(repair.status().commandLine()).isEqualTo("verify --repair " + verification.id());
        run(repair);
        assertThat(repair.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(repair.status().result().orElseThrow().entries()).isEqualTo(6);

        assertThat(failures(verified(copy))).isEmpty();
        assertThat(target.resolve("extra")).hasContent("extra");
        assertThat(inode("same")).isEqualTo(same);
        assertThat(inode("alone/untouched")).isEqualTo(untouched);
        assertThat(inode("name1")).isEqualTo(inode("d/name2"));

        work(verification, verification.resume().orElseThrow());
        assertThat(verification.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(repairs(verification)).isEmpty();
    }

    @Test
    void anEmptyDestinationIsFilledAgain() throws Exception {
        BatchTransfer copy = copied();
        PathUtils.cleanDirectory(target);
        BatchTransfer verification = verified(copy);
        run(repairs(verification).getFirst());
        assertThat(failures(verified(copy))).isEmpty();
    }

    @Test
    void aNameThatTheCopyKeptStaysIfAnotherNameOfItsSourceIsRepaired() throws Exception {
        // The copy is in the existing directory.
        Path name1 = Files.createDirectories(target.resolve("source")).resolve("name1");
        Files.writeString(name1, "mine");
        BatchTransfer copy = copied(CopyOptions.archive().existing(CopyOptions.Existing.SKIP).build(), source, target);
        damage("source/d/name2", "l1nked");
        BatchTransfer verification = verified(copy);
        assertThat(failures(verification)).hasSize(1);
        run(repairs(verification).getFirst());
        assertThat(target.resolve("source/d/name2")).hasContent("linked");
        assertThat(name1).hasContent("mine");
        assertThat(failures(verified(copy))).isEmpty();
    }

    @Test
    void existingFilesAreReplacedEvenIfTheCopyKeptThem() throws Exception {
        Files.createDirectory(target);
        BatchTransfer copy = copied(CopyOptions.archive().existing(CopyOptions.Existing.UPDATE).build(),
                source.resolve("same"), source.resolve("d"), target);
        damage("same", "sam3");
        damage("d/data", "dat4");
        BatchTransfer verification = verified(copy);
        assertThat(failures(verification)).hasSize(2);
        List<BatchTransfer> repairs = repairs(verification);
        assertThat(repairs).hasSize(2);
        for (BatchTransfer repair : repairs) {
            run(repair);
        }
        assertThat(target.resolve("same")).hasContent("same");
        assertThat(target.resolve("d/data")).hasContent("data");
        assertThat(failures(verified(copy))).isEmpty();
    }

    @Test
    void theChunksOfALargeFileAreOneEntry() throws Exception {
        byte[] large = new byte[3 << 20];
        Files.write(source.resolve("large"), large);
        Files.createLink(source.resolve("d/large2"), source.resolve("large"));
        CopyRequest request = CopyRequest.of(List.of(bytes(source), bytes(target)), CopyOptions.archive().build(), 2);
        CopyRequest chunked = new CopyRequest(request.arguments(), request.list(), request.options(),
                new CopyRequest.Batches(request.batching().strategy(), request.batching().limits(), 1 << 20, false), 2,
                true, request.plan(), request.directory(), request.umask(), false);
        BatchTransfer copy = create(chunked);
        run(copy);
        byte[] damaged = large.clone();
        damaged[2_500_000] = 1;
        FileTime time = Files.getLastModifiedTime(target.resolve("large"));
        Files.write(target.resolve("large"), damaged);
        Files.setLastModifiedTime(target.resolve("large"), time);
        BatchTransfer verification = verified(copy);
        assertThat(failures(verification)).hasSize(1);
        BatchTransfer repair = repairs(verification).getFirst();
        assertThat(asksServers(repair)).as("--locality=off of the copy").isFalse();
        run(repair);
        assertThat(target.resolve("large")).hasBinaryContent(large);
        assertThat(inode("large")).isEqualTo(inode("d/large2"));
        assertThat(failures(verified(copy))).isEmpty();
    }

    @Test
    void aSourceThatIsGoneIsNotRepaired() throws Exception {
        BatchTransfer copy = copied();
        Files.delete(source.resolve("same"));
        BatchTransfer verification = verified(copy);
        assertThat(failures(verification)).anySatisfy(text -> assertThat(text).contains("vanished"));
        for (BatchTransfer repair : repairs(verification)) {
            run(repair);
        }
        assertThat(target.resolve("same")).hasContent("same");
    }

    @Test
    void aDirectoryThatOnlyResumeCopiedIsRepairedWithoutEntriesThatMeetNoCondition() throws Exception {
        Path late = directory.resolve("late");
        CopyOptions options = CopyOptions.archive()
                .where(FileQuery.parse(List.of(ByteString.of("name=sub,wanted*")),
                        ConditionContext.ofTrees(path -> Timestamp.ofNanos(0))))
                .build();
        Files.createDirectory(target);
        BatchTransfer copy = copied(options, source, late, target);
        Files.createDirectories(late.resolve("sub"));
        for (String name : List.of("wanted1", "wanted2", "other")) {
            Files.writeString(late.resolve("sub/" + name), name);
        }
        work(copy, copy.resume().orElseThrow());
        Path sub = target.resolve("late/sub");
        assertThat(sub.toFile().list()).containsExactlyInAnyOrder("wanted1", "wanted2");
        Files.delete(sub.resolve("wanted2"));
        Files.setPosixFilePermissions(sub, PosixFilePermissions.fromString("rwx------"));
        run(repairs(verified(copy)).getFirst());
        assertThat(sub.toFile().list()).containsExactlyInAnyOrder("wanted1", "wanted2");
        assertThat(failures(verified(copy))).isEmpty();
    }

    @Test
    void onlyAFinishedVerificationIsRepaired() throws Exception {
        BatchTransfer copy = copied();
        assertThatThrownBy(() -> repairs(copy)).isInstanceOf(TransferException.class)
                .hasMessageContaining("is not a verification");
        BatchTransfer verification = BatchTransfer.createVerify(state, jar, copy.id(), JOBS, scheduler::named);
        assertThatThrownBy(() -> repairs(verification)).isInstanceOf(TransferException.class)
                .hasMessageContaining("not finished");
    }
}
