// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.options.CopyOptions;
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
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.WalkedPlans;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** An entry that could not be planned is a failure of the transfer until a resume has copied it. */
class UnplannedRetryTest {

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

        assertThat(verify(transfer)).isEmpty();
        Files.writeString(into.resolve("b/deep/file"), "other data");
        assertThat(verify(transfer)).isNotEmpty()
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

        TransferResult result = resume(transfer);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(1);
        assertThat(result.unplanned()).isEqualTo(2);
        assertThat(fixture.target().resolve("d/shut/no.tmp")).doesNotExist();
        assertThat(Files.getLastModifiedTime(fixture.target().resolve("d")).toMillis()).isEqualTo(77_000);
        fixture.hasNothingLeft();
        assertThat(fixture.target().resolve("d/shut/below/file"))
                .hasSameBinaryContentAs(fixture.source().resolve("d/shut/below/file"));
    }

    private List<String> verify(TransferDirectory copy) throws IOException {
        TransferDirectory verify = fixture.transfers().createVerify(copy, "verify", TransferFixture.CALM);
        TransferResult result = fixture.run(verify, fixture.transfers().start(verify), 1);
        List<String> errors = errors(verify);
        assertThat(result.state())
                .isEqualTo(errors.isEmpty() ? TransferResult.State.COMPLETE : TransferResult.State.PARTIAL);
        return errors;
    }

    // The source is given as a link, and one link leads to the unreadable directory, from which others lead on.
    @ParameterizedTest
    @EnumSource(names = {"ROOTS", "ALWAYS"})
    void entriesCopiedLaterThroughFollowedLinksAreVerifiedAsCopied(Symlinks followed) throws IOException {
        boolean isAll = followed == Symlinks.ALWAYS;
        Path there = fixture.directory().directory("there");
        fixture.with(writer -> writer.file(path("shut/file"), 10, 1)
                .file(path("shut/linked/file"), 10, 2)
                .mode(path("shut/linked"), 0750)
                .file(path("beside"), 10, 3));
        Path shut = fixture.source().resolve("shut");
        Files.createSymbolicLink(shut.resolve("link"), Path.of("linked"));
        Files.createSymbolicLink(shut.resolve("other"), Path.of("file"));
        if (isAll) {
            Files.move(shut, there.resolve("shut"));
            Files.createSymbolicLink(shut, there.resolve("shut"));
        }
        Path named = Files.createSymbolicLink(fixture.directory().resolve("named"), fixture.source());
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(named, fixture.target()).withNoTargetDirectory(true),
                TransferFixture.options().toBuilder().symlinks(followed).build(), unreadable("shut"), false);
        assertThat(fixture.run(transfer, fixture.transfers().start(transfer), 1).failed()).isEqualTo(1);
        assertThat(resume(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        Path copy = fixture.target().resolve("shut");
        assertThat(Files.isSymbolicLink(copy.resolve("link"))).isNotEqualTo(isAll);
        assertThat(verify(transfer)).isEmpty();

        Files.writeString(copy.resolve("linked/file"), "other data");
        if (!isAll) {
            assertThat(verify(transfer)).isNotEmpty()
                    .allSatisfy(error -> assertThat(error).startsWith(copy + "/linked/file: "));
            return;
        }
        assertThat(copy.resolve("link/file")).hasSameBinaryContentAs(shut.resolve("link/file"));
        Files.writeString(copy.resolve("link/file"), "other data");
        Files.setPosixFilePermissions(copy.resolve("link"), PosixFilePermissions.fromString("rwx------"));
        // If the copy contains a link, the target of that link does not count as the copy.
        Files.delete(copy.resolve("other"));
        Files.createSymbolicLink(copy.resolve("other"), Path.of("file"));
        assertThat(verify(transfer)).anySatisfy(error -> assertThat(error).startsWith(copy + "/link/file: "))
                .anySatisfy(error -> assertThat(error).startsWith(copy + "/link: reads back differently: mode 0750"))
                .anySatisfy(error -> assertThat(error)
                        .startsWith(copy + "/other: reads back differently: kind regular (source) | symlink (copy)"));
    }

    @Test
    void belowADirectoryThatCouldNotBeReadOnlyListedEntriesAreCopied() throws IOException {
        fixture.with(writer -> writer.file(path("way/listed/file"), 10, 1)
                .file(path("way/other/file"), 10, 2)
                .file(path("file"), 10, 3));
        SelectedPaths listed = SelectedPaths.following();
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
