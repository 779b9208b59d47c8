// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.transfer.TransferTest.path;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;

/**
 * An operand that was deleted after planning looks like one whose file system is not mounted. The user can confirm that
 * it is gone, and then the other operands are copied.
 */
class DeletedOperandTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private TransferDirectory transfer;

    @BeforeEach
    void plan() throws IOException {
        fixture.with(writer -> writer.file(path("gone/file"), 10, 1)
                .file(path("gone/below/file"), 10, 2)
                .file(path("lost"), 10, 3)
                .file(path("keep/file"), 10, 4));
        Files.createDirectories(fixture.target());
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source().resolve("gone"),
                fixture.source().resolve("keep"), fixture.source().resolve("lost"), fixture.target()),
                TransferFixture.options());
        PathUtils.delete(fixture.source().resolve("gone"));
        PathUtils.delete(fixture.source().resolve("lost"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void itIsRefusedUntilTheUserConfirms() throws IOException {
        int generation = fixture.transfers().start(transfer);

        assertThatThrownBy(() -> fixture.run(transfer, generation, 1)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("gone")
                .hasMessageContaining("if it was deleted")
                .hasMessageContaining("'treehaul resume --force'");
        assertThat(fixture.target().resolve("keep")).doesNotExist();
    }

    @Test
    void theOtherOperandsAreCopiedAfterTheUserConfirmed() throws IOException {
        fixture.transfers().start(transfer);
        int generation = transfer.generations().raise(Generations.Reason.RESUME, true);

        TransferResult result = fixture.run(transfer, generation, 2);

        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(fixture.target().resolve("keep/file")).exists();
        assertThat(errors()).allSatisfy(error -> assertThat(error).contains(": vanished: "))
                .anySatisfy(error -> assertThat(error).startsWith(fixture.source().resolve("gone") + ": "))
                .anySatisfy(error -> assertThat(error).startsWith(fixture.source().resolve("lost") + ": "));
    }

    @Test
    void aFileInPlaceOfADirectoryAboveTheOperandIsTheSame() throws IOException {
        fixture.transfers().forget(transfer);
        fixture.with(writer -> writer.file(path("above/deep/file"), 10, 1));
        transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(fixture.source().resolve("above/deep"),
                fixture.source().resolve("keep"), fixture.target()), TransferFixture.options());
        PathUtils.delete(fixture.source().resolve("above"));
        Files.writeString(fixture.source().resolve("above"), "a file");
        int generation = fixture.transfers().start(transfer);
        assertThatThrownBy(() -> fixture.run(transfer, generation, 1)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("above/deep")
                .hasMessageContaining("'treehaul resume --force'");

        TransferResult result = fixture.run(transfer, transfer.generations().raise(Generations.Reason.RESUME, true), 2);

        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(fixture.target().resolve("keep/file")).exists();
        assertThat(errors()).isNotEmpty()
                .allSatisfy(error -> assertThat(error).startsWith(fixture.source().resolve("above/deep").toString()));
    }

    private List<String> errors() throws IOException {
        List<String> errors = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> errors.add(failure.failure().toString()));
        return errors;
    }
}
