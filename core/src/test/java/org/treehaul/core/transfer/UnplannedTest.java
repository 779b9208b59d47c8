// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyOptions;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Patterns;

/** What could not be planned is a failure of the transfer until a resume has copied it. */
class UnplannedTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<String> errors(TransferDirectory transfer) throws IOException {
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> errors.add(failure.failure().toString()));
        return errors;
    }

    private TransferResult resume(TransferDirectory transfer) throws IOException {
        return fixture.run(transfer, fixture.transfers().resume(transfer), 2);
    }

    private static FileSystemCalls unreadable(String directory) {
        return FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named(directory).from(1).fails(Errno.EACCES));
    }

    @Test
    void aSourceThatIsNotThereFailsUntilItIs() throws IOException {
        fixture.with(writer -> writer.file(path("a/file"), 10, 1).file(path("c/file"), 10, 2));
        Path source = fixture.source();
        Path into = Files.createDirectory(fixture.target());
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(source.resolve("a"), source.resolve("b"), source.resolve("c"), into),
                TransferFixture.options());
        assertThat(fixture.transfers().status(transfer).failed()).isEqualTo(1);
        TransferResult first = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(first.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(first.failed()).isEqualTo(1);
        assertThat(into.resolve("c/file")).exists();
        assertThat(errors(transfer)).singleElement().asString().startsWith(source + "/b: stat: No such file");

        assertThat(resume(transfer).state()).as("still not there").isEqualTo(TransferResult.State.PARTIAL);
        assertThat(errors(transfer)).singleElement().asString().startsWith(source + "/b: stat: No such file");

        fixture.with(writer -> writer.file(path("b/deep/file"), 10, 3).mode(path("b/deep"), 0710));
        assertThat(resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(errors(transfer)).isEmpty();
        assertThat(fixture.transfers().status(transfer).state()).isEqualTo(TransferStatus.State.COMPLETE);
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), into.resolve("b")))
                .isCopyOf(TreeListing.of(Linux.calls(), source.resolve("b")));
        fixture.hasNothingLeft();

        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        assertThat(fixture.run(verify, fixture.transfers().start(verify), 1).state())
                .isEqualTo(TransferResult.State.COMPLETE);
        Files.writeString(into.resolve("b/deep/file"), "other data");
        verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        assertThat(fixture.run(verify, fixture.transfers().start(verify), 1).state())
                .isEqualTo(TransferResult.State.PARTIAL);
        assertThat(errors(verify)).isNotEmpty()
                .allSatisfy(error -> assertThat(error).startsWith(into + "/b/deep/file: "));
    }

    @Test
    void aDirectoryThatCannotBeReadFailsUntilItCanAndIsFilteredThenToo() throws IOException {
        fixture.with(writer -> writer.file(path("d/shut/file"), 10, 1)
                .file(path("d/shut/no.tmp"), 10, 2)
                .file(path("d/shut/below/file"), 10, 3)
                .file(path("d/file"), 10, 4)
                .times(path("d"), new Timestamp(77, 77)));
        CopyOptions options = TransferFixture.options()
                .toBuilder()
                .filter(Patterns.builder().exclude(path("*.tmp")).build())
                .build();
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target()), options, unreadable("shut"), false);
        TransferResult first = fixture.run(transfer, fixture.transfers().start(transfer), 1);
        assertThat(first.failed()).isEqualTo(1);
        assertThat(fixture.target().resolve("d/file")).exists();
        assertThat(errors(transfer)).singleElement().asString().contains("S/d/shut: open: Permission denied");

        assertThat(resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.target().resolve("d/shut/no.tmp")).doesNotExist();
        assertThat(Files.getLastModifiedTime(fixture.target().resolve("d")).toMillis()).isEqualTo(77_000);
        fixture.hasNothingLeft();
        assertThat(fixture.target().resolve("d/shut/below/file"))
                .hasSameBinaryContentAs(fixture.source().resolve("d/shut/below/file"));
    }

    @Test
    void belowADirectoryThatCouldNotBeReadNothingButWhatWasListedIsCopied() throws IOException {
        fixture.with(writer -> writer.file(path("way/listed/file"), 10, 1)
                .file(path("way/other/file"), 10, 2)
                .file(path("file"), 10, 3));
        PathSelection listed = new PathSelection();
        listed.add(TreePath.of("way/listed".getBytes(StandardCharsets.US_ASCII)));
        listed.add(TreePath.of("file".getBytes(StandardCharsets.US_ASCII)));
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target())
                        .withNoTargetDirectory(true)
                        .withSelection(listed),
                TransferFixture.options(), unreadable("way"), false);
        fixture.run(transfer, fixture.transfers().start(transfer), 1);
        assertThat(resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.target().resolve("way/listed/file")).exists();
        assertThat(fixture.target().resolve("way/other")).doesNotExist();
    }
}
