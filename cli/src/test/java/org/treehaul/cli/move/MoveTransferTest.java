// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.cli.CommandLines;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.request.JobOptions;
import picocli.CommandLine;

/** The part of rank 0 in a move by ranks, which is interrupted. */
class MoveTransferTest {

    private static final JobOptions JOBS = JobOptions.of("local");

    @AutoClose
    private final TestDirectory here = TestDirectory.make();
    @AutoClose
    private final TestDirectory there = TestDirectory.onTmpfs();
    private MvInput input;

    @BeforeEach
    void makeSource() throws Exception {
        assumeFalse(Files.getAttribute(here.path(), "unix:dev").equals(Files.getAttribute(there.path(), "unix:dev")),
                "the directory for temporary files is in memory, too");
        Path source = Files.createDirectory(here.resolve("source"));
        Files.writeString(source.resolve("file"), "content");
        CommandLine all = CommandLines.all();
        all.parseArgs("mv", "--ranks", "2", source.toString(), there.resolve("target").toString());
        MvCommand command = Objects.requireNonNull(all.getSubcommands().get("mv")).getCommand();
        input = command.input;
    }

    private List<Path> atTarget() throws Exception {
        try (Stream<Path> files = Files.list(there.path())) {
            return files.toList();
        }
    }

    @Test
    void anInterruptionBeforeAllIsRenamedIsNoSuccess() throws Exception {
        MoveTransfer move = new MoveTransfer(input);
        try (Session session = Session.begin(input.common, false)) {
            session.cancellation().cancel();
            assertThat(move.create(session, Transfers.in(here.resolve("state")), JOBS)).isEmpty();
            assertThat(move.endWithoutTransfer(session)).isEqualTo(ExitCode.INTERRUPTED);
        }
        assertThat(here.resolve("source/file")).hasContent("content");
    }

    @Test
    void aMoveThatIsInterruptedWhileItIsPlannedLeavesNoMark() throws Exception {
        MoveTransfer move = new MoveTransfer(input);
        try (Session session = Session.begin(input.common, false)) {
            TransferDirectory transfer = move.create(session, Transfers.in(here.resolve("state")), JOBS).orElseThrow();
            assertThat(atTarget()).as("the mark of the new directory").hasSize(1);
            session.cancellation().cancel();
            assertThat(move.plan(transfer, session).isComplete()).isFalse();
        }
        assertThat(atTarget()).isEmpty();
    }
}
