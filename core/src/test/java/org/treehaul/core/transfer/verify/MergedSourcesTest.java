// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.DestinationTraces;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferTest;
import org.treehaul.core.transfer.WalkedPlans;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.walk.options.Root;

/** Several sources, or several transfers, with the same directory at the destination. */
class MergedSourcesTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void complete(TransferDirectory transfer) throws IOException {
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
    }

    @Test
    void theLastSourcesMetadataStayAndNothingIsFoundWrong() throws IOException {
        fixture.with(writer -> writer.file(path("a/shared/one"), 10, 1)
                .attribute(path("a/shared"), path("user.a"), path("1"))
                .mode(path("a/shared"), 0700)
                .times(path("a/shared"), new Timestamp(100, 1))
                .times(path("a"), new Timestamp(101, 0))
                .file(path("b/shared/two"), 10, 2)
                .attribute(path("b/shared"), path("user.b"), path("2"))
                .directory(path("b/shared/empty"))
                .mode(path("b/shared"), 0750)
                .times(path("b/shared"), new Timestamp(200, 2))
                .times(path("b"), new Timestamp(201, 0))
                .mode(path("b"), 0711));
        Path into = Files.createDirectory(fixture.target());
        TransferDirectory transfer = fixture.create();
        List<CopyPair> pairs = Stream.of("a", "b")
                .map(name -> new CopyPair(Root.of(path(fixture.source() + "/" + name)), path(into + "/.")))
                .toList();
        WalkedPlans.plan(transfer.plan(), WalkedPlans.request(transfer.id().text(),
                new CopyLayout(pairs, List.of(), List.of()), TransferFixture.options(), false), Linux.calls());
        complete(transfer);
        assertThat(Files.getLastModifiedTime(into.resolve("shared")).toInstant().getEpochSecond()).isEqualTo(200);
        assertThat(Files.getLastModifiedTime(into).toInstant().getEpochSecond()).isEqualTo(201);
        assertThat((int) Files.getAttribute(into, "unix:mode") & 0777).isEqualTo(0711);
        assertThat((int) Files.getAttribute(into.resolve("shared"), "unix:mode") & 0777).isEqualTo(0750);

        complete(fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM));
        Files.setLastModifiedTime(into.resolve("shared"), FileTime.fromMillis(5));
        TransferDirectory verify = fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM);
        assertThat(fixture.run(verify, fixture.transfers().start(verify), 1).failed())
                .as("it is told once, of the source that counts")
                .isEqualTo(1);
    }

    @Test
    void aDirectoryIntoWhichAnotherSourceIsPutKeepsItsTimes() throws IOException {
        fixture.with(writer -> writer.directory(path("empty"))
                .file(path("a/file"), 10, 1)
                .times(path("a"), new Timestamp(100, 0)));
        for (boolean isLast : new boolean[]{false, true}) {
            Path into = fixture.directory().directory("D/into" + isLast);
            Object empty = fixture.source() + "/empty";
            Object merged = fixture.source() + "/a/.";
            TransferDirectory transfer = WalkedPlans.plan(fixture,
                    isLast ? WalkedPlans.arguments(merged, empty, into) : WalkedPlans.arguments(empty, merged, into),
                    TransferFixture.options());
            complete(transfer);
            assertThat(into.resolve("empty")).isDirectory();
            assertThat(Files.getLastModifiedTime(into).toMillis()).isEqualTo(100_000);
            complete(fixture.transfers().createVerify(transfer, "verify", TransferFixture.CALM));
        }
    }

    @Test
    void tokensAreNotSeenInTheTimeOfADirectory() throws IOException {
        fixture.with(writer -> writer.file(path("file"), 10, 1).times(path(""), new Timestamp(77, 0)));
        Path into = Files.createDirectory(fixture.target());
        TransferDirectory over = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), into).withNoTargetDirectory(true), TransferFixture.options());
        TransferDirectory beside = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source(), into),
                TransferFixture.options());
        complete(over);
        assertThat(Files.getLastModifiedTime(into).toMillis()).isEqualTo(77_000);
        fixture.transfers().forget(beside);
        assertThat(Files.getLastModifiedTime(into).toMillis()).isEqualTo(77_000);
        beside = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source(), into), TransferFixture.options());
        assertThat(Files.getLastModifiedTime(into).toMillis()).isEqualTo(77_000);
        int generation = fixture.transfers().start(beside);
        fixture.work(beside, generation);
        FileTime made = Files.getLastModifiedTime(into);
        fixture.finish(beside, generation);
        assertThat(Files.getLastModifiedTime(into)).isEqualTo(made);
        fixture.hasNothingLeft();
    }

    @Test
    void temporariesOfKilledWorkersAreRemovedWithACancelledCopy() throws IOException {
        fixture.with(TransferTest::tree);
        for (boolean isStreamed : new boolean[]{false, true}) {
            TransferDirectory transfer = WalkedPlans.plan(fixture,
                    WalkedPlans.arguments(fixture.source(), fixture.target()).withNoTargetDirectory(true),
                    TransferFixture.options(), Linux.calls(), isStreamed);
            fixture.work(transfer, fixture.transfers().start(transfer));
            // The large files of the tree have only temporary files until they are finished.
            assertThat(temporaries()).isGreaterThanOrEqualTo(2);
            Path foreign = Files.createFile(fixture.target().resolve("d0/.treehaul-00000000-00000000-0"));
            if (isStreamed) {
                Files.delete(transfer.plan().resolve("sealed"));
            }
            assertThat(DestinationTraces.sweep(transfer, fixture.listener(), new Cancellation())).isEmpty();
            assertThat(temporaries()).as("those of another").isEqualTo(1);
            Files.delete(foreign);
            Files.delete(
                    fixture.directory().resolve("D").resolve(isStreamed ? "T/" + token(transfer) : token(transfer)));
            assertThat(DestinationTraces.sweep(transfer, fixture.listener(), new Cancellation())).get()
                    .asString()
                    .startsWith(".treehaul-");
            fixture.transfers().forget(transfer);
        }
    }

    private static String token(TransferDirectory transfer) {
        return ".treehaul-" + transfer.id();
    }

    private long temporaries() throws IOException {
        try (Stream<Path> all = Files.walk(fixture.target())) {
            return all.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("\\.treehaul-[0-9a-f]{8}-[0-9a-f]{8}.*"))
                    .count();
        }
    }

    @Test
    void inodeNumbersMayChangeIfTheUserConfirmsTheMounts() throws IOException {
        fixture.with(writer -> writer.directory(path("d")).file(path("file"), 10, 1));
        Path source = fixture.source();
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(source.resolve("d"), source.resolve("missing"), fixture.directory().resolve("D")),
                TransferFixture.options());
        fixture.run(transfer, fixture.transfers().start(transfer), 1);
        Files.createDirectory(source.resolve("missing"));
        // Simulates that both were mounted again by a file system that invents its inode numbers.
        Path remounted = fixture.directory().directory("remounted");
        Files.move(fixture.directory().resolve("D"), remounted.resolve("old"));
        Files.createDirectory(fixture.directory().resolve("D"));
        Files.move(remounted.resolve("old/d"), fixture.directory().resolve("D/d"));
        Files.move(source.resolve("d"), remounted.resolve("d"));
        Files.createDirectory(source.resolve("d"));

        int checked = fixture.transfers().resume(transfer);
        assertThatThrownBy(() -> fixture.run(transfer, checked, 1)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("'treehaul resume --force'");
        DestinationTraces.renewTokens(transfer);
        int trusted = transfer.generations().raise(Generations.Reason.RESUME, true);
        assertThat(fixture.run(transfer, trusted, 1).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.hasNothingLeft();

        int again = transfer.generations().raise(Generations.Reason.RESUME, true);
        Files.move(fixture.directory().resolve("D"), remounted.resolve("away"));
        Files.createDirectory(fixture.directory().resolve("D"));
        assertThatThrownBy(() -> fixture.run(transfer, again, 1)).as("a node without the token")
                .isInstanceOf(WrongMountException.class);
    }
}
