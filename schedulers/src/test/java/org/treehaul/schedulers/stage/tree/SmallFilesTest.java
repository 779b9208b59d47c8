// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;

/** Files that go into a stage whole, by one read and one write. */
class SmallFilesTest {

    private static final int FILES = 20;
    private static final int SIZE = 4000;

    private final Progress progress = new Progress();
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    private StageFixture fixture;
    private Path source;

    @BeforeEach
    void makeFiles() throws Exception {
        fixture = new StageFixture(2);
        source = Files.createDirectory(fixture.path().resolve("source"));
        for (int i = 0; i < FILES; i++) {
            Files.write(source.resolve("f" + i), StageFixture.content(i, SIZE));
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void in(FileSystemCalls calls, Stage stage, int copies, boolean isDurable) throws StageException {
        new StageIn(calls, stage, new StageInOptions(StageFixture.servers(2), 0, 1 << 20, 1, isDurable, copies))
                .run(Root.of(source), ByteString.of("run"), reports());
    }

    private StageReports reports() {
        return new StageReports(ByteString.of("tree"), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, progress, new Cancellation());
    }

    private void assertStaged(int files) throws Exception {
        Stage stage = fixture.open();
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(stage, 2, findings::add, false, reports()).run();
        assertThat(findings).isEmpty();
        StageReports reports = reports();
        assertThat(new StageVerify(Linux.calls(), stage, 1).run(ByteString.empty(), reports))
                .as("bytes without a checksum")
                .isZero();
        assertThat(reports.failures()).isEmpty();
        int found = 0;
        for (int i = 0; i < FILES; i++) {
            ByteString path = ByteString.of("run/f" + i);
            if (stage.catalogue().find(path).isPresent()) {
                found++;
                assertThat(StageFixture.read(stage, path)).isEqualTo(StageFixture.content(i, SIZE));
            }
        }
        assertThat(found).isEqualTo(files);
        assertThat(stage.catalogue().intents(ByteString.empty())).isEmpty();
    }

    @Test
    void aSmallFileIsMadeBySixSystemCalls() throws Exception {
        FaultInjectingCalls onServers = FaultInjectingCalls.over(Linux.calls());
        Stage stage = fixture.open(onServers);
        long before = onServers.total();
        in(Linux.calls(), stage, 1, false);
        assertThat(onServers.count(Call.PWRITE)).isEqualTo(2 * FILES);
        // Besides, both directories are opened and examined.
        assertThat(onServers.total() - before).isBetween(6L * FILES, 6L * FILES + 20);
        assertThat(progress.snapshot().bytes()).isEqualTo((long) FILES * SIZE);
        assertStaged(FILES);
    }

    @Test
    void aDurableFileIsSyncedBeforeItGetsItsPath() throws Exception {
        FaultInjectingCalls onServers = FaultInjectingCalls.over(Linux.calls());
        in(Linux.calls(), fixture.open(onServers), 1, true);
        assertThat(onServers.count(Call.FSYNC)).as("data, checksum and directory").isEqualTo(3 * FILES);
        assertStaged(FILES);
    }

    @Test
    void aSmallFileOfTwoCopiesIsOnBothServers() throws Exception {
        in(Linux.calls(), fixture.open(), 2, false);
        assertStaged(FILES);
        for (int i = 1; i <= 2; i++) {
            try (var there = Files.list(fixture.server(i))) {
                assertThat(there.filter(file -> !file.toString().endsWith(".sums"))).hasSize(FILES + 1);
            }
        }
    }

    @Test
    void aFileThatTheServerCannotTakeLeavesNothing() throws Exception {
        // The data of one file, the checksum of another one, and the sync of a third.
        FileSystemCalls full = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(7).fails(Errno.ENOSPC),
                Fault.on(Call.PWRITE).nth(15).fails(Errno.ENOSPC), Fault.on(Call.FSYNC).nth(30).fails(Errno.EIO));
        in(Linux.calls(), fixture.open(full), 1, true);
        assertThat(failures).hasSize(3)
                .allSatisfy(failure -> assertThat(failure.path().toString()).startsWith("f"))
                .extracting(EntryFailure::errno)
                .containsExactlyInAnyOrder(Errno.ENOSPC, Errno.ENOSPC, Errno.EIO);
        assertStaged(FILES - 3);
    }

    @Test
    void aFileThatChangesWhileItIsReadIsReportedAndNothingIsMade() throws Exception {
        FileSystemCalls changing = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD)
                        .named("f7")
                        .nth(1)
                        .runs(call -> Files.write(source.resolve("f7"), new byte[1], StandardOpenOption.APPEND)));
        in(changing, fixture.open(), 1, false);
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.kind()).isEqualTo(EntryFailure.Kind.CHANGED);
            assertThat(failure.path().toString()).isEqualTo("f7");
        });
        assertStaged(FILES - 1);
    }

    @Test
    void aFileThatCannotBeReadIsReportedAndNothingIsMade() throws Exception {
        FileSystemCalls failing = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD).named("f7").nth(1).fails(Errno.EIO));
        in(failing, fixture.open(), 1, false);
        assertThat(failures).singleElement().extracting(EntryFailure::errno).isEqualTo(Errno.EIO);
        assertStaged(FILES - 1);
    }
}
