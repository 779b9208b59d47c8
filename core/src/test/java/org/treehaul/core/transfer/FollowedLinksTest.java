// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.walk.options.SelectedPaths;

/** Batches and finishing follow symbolic links on the way to listed paths, as a copy at once does. */
class FollowedLinksTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    // way/link leads out of the source to "there", below which a link leads further.
    private void make() {
        Path there = fixture.directory().directory("there");
        fixture.with(writer -> writer.symlink(path("way/link"), path(there.toString()))
                .file(path("way/beside"), 10, 1)
                .mode(path("way"), 0750)
                .file(path("inner/large"), 3 * TransferFixture.CHUNK_BYTES + 5, 2)
                .file(path("inner/small"), 10, 3)
                .hardLink(path("inner/large"), path("inner/name"))
                .file(path("other/file"), 10, 4)
                .directory(path("other/empty"))
                .mode(path("inner"), 0710)
                .symlink(path("alone"), path("way")));
        try {
            Files.move(fixture.source().resolve("inner"), there.resolve("inner"));
            Files.move(fixture.source().resolve("other"), there.resolve("other"));
            Files.createSymbolicLink(there.resolve("further"), Path.of("other"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static TreePath tree(String text) {
        return TreePath.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static SelectedPaths listed() {
        SelectedPaths listed = SelectedPaths.following();
        listed.add(tree("way/link/further/file"));
        listed.add(tree("way/link/further/empty"));
        listed.add(tree("way/link/inner"));
        listed.add(tree("way/beside"));
        listed.add(tree("alone"));
        return listed;
    }

    private void isAsACopyAtOnce(CopyArguments byJobs, CopyArguments atOnce, Path copy, Path compared, Path linked,
            boolean isStreamed) throws IOException, CopyRefusedException {
        CopyOptions options = TransferFixture.options();
        TransferDirectory transfer = WalkedPlans.plan(fixture, byJobs, options, Linux.calls(), isStreamed);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        CopyLayout layout = CopyLayout.of(Linux.calls(), atOnce, options);
        CopyResult plain = TreeCopier.of(Linux.calls(), layout.adapt(options))
                .copy(layout.pairs(), fixture.listener(), new Progress(), new Cancellation());
        assertThat(plain.failures()).isEmpty();
        Path below = fixture.target().resolve(copy.relativize(compared).toString());
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), below)).isCopyOf(TreeListing.of(Linux.calls(), compared));
        fixture.hasNothingLeft();

        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        TransferResult verified = fixture.run(verify, fixture.transfers().start(verify), 1);
        assertThat(fixture.failures()).isEmpty();
        assertThat(verified.state()).isEqualTo(TransferResult.State.COMPLETE);

        // The target of the link on the way is verified too; it gave its metadata to a directory of the copy.
        Path way = fixture.target().resolve(copy.relativize(linked).toString());
        Files.setPosixFilePermissions(way, PosixFilePermissions.fromString("r-x------"));
        verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        fixture.run(verify, fixture.transfers().start(verify), 1);
        assertThat(fixture.failures()).singleElement().asString().startsWith(way + ": reads back differently: mode ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void linksInAListOfPathsAreFollowed(boolean isStreamed) throws Exception {
        make();
        Path atOnce = fixture.directory().resolve("at-once");
        isAsACopyAtOnce(
                WalkedPlans.arguments(fixture.source(), fixture.target())
                        .withNoTargetDirectory(true)
                        .withSelection(listed()),
                WalkedPlans.arguments(fixture.source(), atOnce).withNoTargetDirectory(true).withSelection(listed()),
                atOnce, atOnce, atOnce.resolve("way/link"), isStreamed);
        assertThat(fixture.target().resolve("alone")).isSymbolicLink();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withParents(boolean isStreamed) throws Exception {
        make();
        Files.createDirectory(fixture.target());
        Path atOnce = fixture.directory().directory("at-once");
        Path way = fixture.source().resolve("way/link");
        Object[] operands = {way.resolve("further/file"), way.resolve("inner"), fixture.source().resolve("way/beside")};
        CopyArguments sources = WalkedPlans.arguments(operands).withParents(true);
        isAsACopyAtOnce(sources.withTargetDirectory(path(fixture.target().toString())),
                sources.withTargetDirectory(path(atOnce.toString())), atOnce,
                atOnce.resolve(fixture.source().getName(0)), atOnce.resolve(way.subpath(0, way.getNameCount())),
                isStreamed);
    }
}
