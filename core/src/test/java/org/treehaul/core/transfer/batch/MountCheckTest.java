// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferTest;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;

/** A host that does not see the trees of the plan. */
class MountCheckTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs().with(TransferTest::tree);
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    @Test
    void withoutTheSourceOrTheDestinationNothingIsWritten() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Path token = fixture.token(transfer);
        Files.delete(token);
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining(token.getFileName().toString());
        Files.writeString(token, "");
        Path away = fixture.directory().resolve("away");
        Files.move(fixture.source(), away);
        Files.createDirectory(fixture.source());
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("none of the planned entries exist");
        assertThat(fixture.target()).doesNotExist();
        assertThat(TransferFixture.names(transfer.attempts())).isEmpty();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        Files.delete(fixture.source());
        Files.move(away, fixture.source());
        fixture.completes(transfer);
        // After finishing, the token is gone; the directory itself is known now.
        fixture.completes(transfer);
        Files.move(fixture.directory().resolve("D"), away);
        Files.createDirectory(fixture.directory().resolve("D"));
        int next = fixture.transfers().resume(transfer);
        assertThatThrownBy(() -> fixture.work(transfer, next)).isInstanceOf(WrongMountException.class);
        assertThat(fixture.target()).doesNotExist();
    }
}
