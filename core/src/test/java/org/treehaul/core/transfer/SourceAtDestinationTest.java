// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/**
 * Names at the destination that are further names of a large source: replacing them changes the ctime of the source.
 */
class SourceAtDestinationTest {

    private static final Set<Preserve> ALL_BUT_LINKS = EnumSet.complementOf(EnumSet.of(Preserve.LINKS));

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    static Stream<CopyOptions> options() {
        CopyOptions copied = TransferFixture.options().toBuilder().preserve(ALL_BUT_LINKS).build();
        return Stream.of(copied.toBuilder().backup(Backup.of(Backup.Control.NUMBERED)).build(),
                copied.toBuilder().removeDestination(true).build());
    }

    @ParameterizedTest
    @MethodSource("options")
    void areNoConcurrentChange(CopyOptions options) throws IOException {
        fixture.with(writer -> writer.file(path("a"), 3 * (int) TransferFixture.CHUNK_BYTES, 1)
                .hardLink(path("a"), path("b"))
                .hardLink(path("a"), path("c")));
        Files.createDirectory(fixture.target());
        for (String name : List.of("a", "b")) {
            Files.createLink(fixture.target().resolve(name), fixture.source().resolve("a"));
        }
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target()).withNoTargetDirectory(true), options);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        for (String name : List.of("a", "b", "c")) {
            assertThat(fixture.target().resolve(name)).hasSameBinaryContentAs(fixture.source().resolve(name));
            assertThat(Files.isSameFile(fixture.target().resolve(name), fixture.source().resolve(name))).isFalse();
        }
        fixture.hasNothingLeft();
    }
}
