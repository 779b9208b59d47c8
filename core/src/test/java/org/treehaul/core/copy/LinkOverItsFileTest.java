// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.batch.Batches;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;

/** A symbolic link never replaces the file to which it leads, because the data would be lost. */
class LinkOverItsFileTest {

    private static final byte[] DATA = "results".getBytes(UTF_8);

    private final Copies copies = Copies.onTmpfs();

    @AfterEach
    void remove() {
        copies.close();
    }

    static Stream<CopyOptions> everyWay() {
        return Stream
                .of(archive(), archive().removeDestination(true), archive().inPlace(true), archive().force(true),
                        archive().existing(CopyOptions.Existing.UPDATE), archive().verify(CopyOptions.Verify.XXH3),
                        archive().fsync(true), archive().attributesOnly(true), archive().preserve(List.of()),
                        archive().threads(1))
                .map(CopyOptionsBuilder::build);
    }

    // As when files were moved to the archive, links were left in their place, and the usual backup runs again.
    private void moved() {
        copies.with(writer -> writer.symlink(path("run/deep/out"), path("../../../T/run/deep/out"))
                .symlink(path("top"), path("../T/top"))
                .symlink(path("chain"), path("top"))
                .hardLink(path("top"), path("twin"))
                .symlink(path("other"), path("../T/run/deep/out"))
                .file(path("run/new"), 10, 1))
                .there(writer -> writer.file(path("run/deep/out"), DATA)
                        .file(path("top"), DATA)
                        .hardLink(path("top"), path("chain"))
                        .hardLink(path("top"), path("twin"))
                        .file(path("other"), DATA));
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void itIsRefusedAtAnyDepthAndTheRestIsCopied(CopyOptions options) throws IOException {
        moved();
        List<String> failed = copies.copy(options).failed();
        String refused = " copy a symbolic link onto the file it leads to 22";
        assertThat(failed).contains("ERROR run/deep/out" + refused, "ERROR top" + refused, "ERROR chain" + refused,
                "ERROR twin" + refused);
        for (String kept : List.of("run/deep/out", "top", "chain", "twin")) {
            assertThat(copies.at(kept)).isRegularFile().hasBinaryContent(DATA);
        }
        assertThat(Files.exists(copies.at("run/new"))).isTrue();
        // Its target is elsewhere, so this is an ordinary replacement.
        assertThat(Files.isSymbolicLink(copies.at("other")))
                .isEqualTo(!options.attributesOnly() && options.existing() != CopyOptions.Existing.UPDATE);
        copies.hasNoTemporaries();
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Form.class, names = {"COPY", "HARD_LINK"})
    void theFileStaysIfItIsUnknownWhetherTheLinkLeadsToIt(CopyOptions.Form form) {
        copies.with(writer -> writer.symlink(path("top"), path("../T/top")))
                .there(writer -> writer.file(path("top"), DATA));
        for (int n = 1; n <= 5; n++) {
            copies.copy(archive().form(form).force(true).threads(1).build(),
                    Fault.on(Call.STATX).named("top").nth(n).fails(Errno.EIO));
            assertThat(copies.at("top")).isRegularFile().hasBinaryContent(DATA);
        }
    }

    @Test
    void itIsRefusedInEveryBatchOfATransfer() throws IOException {
        moved();
        Batches batches = Batches.of(copies, archive().build(), 3, 1, 1 << 20);
        batches.copyAll(new Random(1));
        for (String kept : List.of("run/deep/out", "top", "chain", "twin")) {
            assertThat(copies.at(kept)).isRegularFile().hasBinaryContent(DATA);
        }
        assertThat(batches.failures).hasSize(4);
    }

    @Test
    void aDryRunSaysSo() {
        moved();
        assertThat(copies.copy(archive().dryRun(true).build()).failed()).hasSize(4);
    }

    @Test
    void linksThatAreThereAlreadyAreReplacedWhereverTheyLead() throws IOException {
        copies.with(writer -> writer.symlink(path("same"), path("x"))
                .symlink(path("to"), path("../T/to"))
                .symlink(path("nowhere"), path("nothing"))
                .symlink(path("loop"), path("loop")))
                .there(writer -> writer.symlink(path("same"), path("x"))
                        .symlink(path("to"), path("x"))
                        .file(path("x"), DATA)
                        .file(path("nowhere"), DATA)
                        .file(path("loop"), DATA));
        copies.copy(archive().build()).succeeds();
        for (String name : List.of("same", "to", "nowhere", "loop")) {
            assertThat(Files.readSymbolicLink(copies.at(name)))
                    .isEqualTo(Files.readSymbolicLink(copies.source().resolve(name)));
        }
    }

    @Test
    void twoNamesOfOneLinkAreLeftAsTheyAre() throws IOException {
        copies.with(writer -> writer.symlink(path("link"), path("x"))).there(writer -> {
        });
        Files.createLink(copies.at("link"), copies.source().resolve("link"));
        assertThat(copies.copy(archive().build()).succeeds().result().counts().skipped()).isOne();
        assertThat(Files.isSymbolicLink(copies.at("link"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLinkCostsNoCallMore(boolean isThere) {
        int links = 20;
        copies.with(writer -> {
            for (int i = 0; i < links; i++) {
                writer.symlink(path("l" + i), path("../T/f"));
            }
        });
        copies.there(writer -> writer.file(path("f"), DATA));
        if (isThere) {
            copies.copy(archive().build()).succeeds();
        }
        Copies.Ran ran = copies.copy(archive().threads(1).build()).succeeds();
        long perLink = ran.calls().count(Call.STATX) / links;
        assertThat(perLink).isEqualTo(isThere ? 3 : 2);
        assertThat(Files.exists(copies.at("l1"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }
}
