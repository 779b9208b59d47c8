// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** Transfers that are cancelled, resumed and forgotten, on this machine. */
class TransferControlTest extends LocalJobsTests {

    @Test
    void aCancelledTransferHasNoJobsAndIsResumed() throws Exception {
        Path source = cli.tree("source", 30, 20_000);
        Path copy = cli.resolve("copy");
        String id = submitSlowly(source, copy);
        TransferCli.awaitBegun(copy);
        // The workers stop while the test queries them, however long that takes.
        cli.signal("STOP", id);
        assertThat(cli.run("status", id).expect(0).out())
                .containsPattern("  jobs: [12] running(, finishing job running)?\n");
        assertThat(cli.run("status", "--json", id).expect(0).out()).containsPattern("\"jobs\":\\{\"running\":[1-3]}");
        assertThat(cli.run("forget", "--force", id).expect(2).err()).contains(id + " still has jobs (",
                "'treehaul cancel " + id + "' first");
        assertThat(cli.run("errors", id).expect(1).err()).contains(id + " is running, so entries may be missing");
        cli.cancelStopped(id);
        Run cancelled = cli.run("errors", "-0", id).expect(1);
        assertThat(cancelled.out()).isEmpty();
        assertThat(cancelled.err()).contains(id + " is cancelled, so entries may be missing that are not listed here: "
                + "'treehaul status " + id + "' shows how far it got");
        assertThat(cli.run("status").expect(0).out()).startsWith(id + "  cancelled; ");
        assertThat(cli.run("forget", "all").expect(0).err()).contains(id + " is cancelled and is kept");
        cli.run("resume", "--wait", "last").expect(0);
        cli.expectCopy(source, copy);
    }

    @Test
    @Tag("rig")
    void aLimitOfWeeksIsRaisedWhileTheJobsRun() throws Exception {
        Path source = cli.tree("source", 30, 20_000);
        Path copy = cli.resolve("copy");
        Run begun = cli.run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--bandwidth", 5, source, copy).expect(0);
        assertThat(begun.err()).contains("at 5 B/s each GiB takes ", "write 200M for 200 MiB/s");
        String id = begun.out().strip();
        assertThat(cli.run("limit", id).expect(0).out()).isEqualTo("5\n");
        assertThat(cli.run("status", id).expect(0).out()).contains("  limited to 5 B/s\n");
        assertThat(cli.run("limit", id, "0").expect(2).err()).contains("'none' removes it");
        assertThat(cli.run("limit", id, "many").expect(2).err()).contains("'many' is not a size",
                "or 'none' for no limit");
        assertThat(cli.run("limit", id, "300M").expect(0).err()).contains(id + " is limited to 300.0 MiB/s");
        assertThat(cli.awaitEnd(id)).contains("\"state\":\"complete\"");
        cli.expectCopy(source, copy);
        assertThat(cli.run("limit", id, "none").expect(2).err()).contains(id + " is complete");
    }

    @Test
    @Tag("rig")
    void aLimitIsTakenBackByResume() throws Exception {
        Path source = cli.tree("source", 30, 20_000);
        Path copy = cli.resolve("copy");
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--jobs", 2, "--bandwidth", 5, source, copy);
        TransferCli.awaitBegun(copy);
        cli.run("cancel", id).expect(0);
        cli.run("resume", "--bandwidth", 0, "--wait", id).expect(0);
        assertThat(cli.run("limit", id).expect(0).out()).isEqualTo("none\n");
        cli.expectCopy(source, copy);
    }

    @Test
    void forgettingAnUnfinishedTransferRemovesItsToken() throws Exception {
        Path source = cli.tree("source", 3, 10);
        Path copy = cli.path().resolve("copy");
        Files.createDirectory(copy);
        String id = cli.submit("cp", "-aT", "--scheduler", "local", "--pre", "false", source, copy);
        assertThat(cli.awaitEnd(id)).contains("\"entries_done\":0");
        assertThat(copy.resolve(".treehaul-" + id)).exists();
        assertThat(cli.run("status", id).expect(0).out()).contains("no job of it is left; 'treehaul resume " + id);
        assertThat(cli.run("status", "--json", "--watch", id).expect(0).out()).contains("\"jobs\":{}",
                "\"note\":\"no job of it is left; ");
        assertThat(cli.run("forget", "--force", id).expect(0).err()).contains(
                "the copy in " + copy + " is not finished: ",
                "'find DEST -type d -perm 0700' lists them, and 'treehaul cp -aTu SOURCE DEST' completes the copy");
        assertThat(copy).isEmptyDirectory();
        assertThat(cli.of(id, "")).doesNotExist();
    }

    @Test
    @Tag("campaign")
    void aListThatDidNotComeToItsEndIsNotTakenForOneThatDid() throws Exception {
        cli.tree("source", 3, 10);
        // The writer keeps the pipe open after the first line.
        cli.sh("""
                mkfifo pipe
                { echo d0/f1; sleep 300; } > pipe & writer=$!
                $T cp -a --scheduler local --files-from - source copy < pipe & cp=$!
                until grep -q f1 state/transfers/*/launch/list.part; do sleep 0.1; done
                kill -9 $cp $writer
                wait
                """);
        Run resumed = cli.run("resume", "--wait", "last").expect(23);
        assertThat(resumed.err()).contains("there is no plan: the output of the planning job is in ");
        assertThat(TransferCli.files(cli.state(),
                path -> path.toString().contains("-plan-") && path.toString().endsWith(".out"))).singleElement()
                .satisfies(
                        log -> assertThat(log).content().contains("is incomplete: forget the transfer and copy again"));
    }

    @Test
    void statusShowsOptionsOfTheSchedulerAsTheUserTypedThem() throws Exception {
        Path file = Files.writeString(cli.resolve("file"), "x");
        // This PATH contains no Slurm, so no job begins.
        cli.with("PATH", "/nowhere")
                .run("cp", "--scheduler", "slurm", "--queue=-p long", "--pre", "-x", "--finish-queue", "-l x", file,
                        cli.resolve("copy"))
                .expect(2);
        assertThat(cli.run("status", "last").expect(0).out())
                .contains(" '--queue=-p long' --pre=-x '--finish-queue=-l x' ");
        assertThat(cli.run("status", "--json", "last").expect(0).out())
                .contains(" '--queue=-p long' --pre=-x '--finish-queue=-l x' ");
    }

    @Test
    void anIdIsNamedByItsEndIfThatIsOne() throws Exception {
        Path file = Files.writeString(cli.resolve("file"), "x");
        for (int i = 0; i < 2; i++) {
            // This PATH contains no Slurm, so no job begins.
            cli.with("PATH", "/nowhere").run("cp", "--scheduler", "slurm", file, cli.resolve("copy" + i)).expect(2);
        }
        List<String> ids = cli.run("status").expect(0).out().lines().map(line -> line.substring(0, 20)).toList();
        assertThat(ids).hasSize(2);
        assertThat(cli.run("status", ids.getFirst().substring(16)).expect(0).out()).startsWith(ids.getFirst());
        assertThat(cli.run("status", "last").expect(0).out()).startsWith(ids.getLast());
        assertThat(cli.run("status", "nonsense").expect(2).err())
                .contains("there is no transfer 'nonsense' in " + cli.state());
        assertThat(cli.run("errors", "").expect(2).err()).contains("there is no transfer ''");
        // Two ids with a common end cannot be made on purpose, but directories with equal ends can.
        Files.move(cli.of(ids.getFirst(), ""), cli.of("20200101-000000-zzzz", ""));
        Files.move(cli.of(ids.getLast(), ""), cli.of("20210101-000000-zzzz", ""));
        assertThat(cli.run("cancel", "zzzz").expect(2).err())
                .contains("'zzzz' may be 20200101-000000-zzzz or 20210101-000000-zzzz");
    }

    @Test
    @Tag("rig")
    void waitingContinuesWhileTheServerOfTheStateDirectoryIsAwayAndNothingIsReportedDamaged() throws Exception {
        Path source = cli.tree("source", 2, 10);
        Path go = cli.resolve("go");
        Process waiting = cli.start("cp", "cp", "-aT", "--scheduler", "local", "--wait", "--progress-interval", 1,
                "--pre", "until [ -e " + go + " ]; do sleep 0.1; done", source, cli.resolve("copy"));
        TransferCli.until(() -> TransferCli.ID.matcher(cli.read("cp.out")).find());
        String id = cli.read("cp.out").strip();
        Path batches = cli.of(id, "plan/batches");
        Path away = batches.resolveSibling("away");
        Files.move(batches, away);
        // The waiting command has read the plan, and looks for attempts.
        Path attempts = cli.of(id, "attempts");
        Path attemptsAway = attempts.resolveSibling("attempts-away");
        Files.move(attempts, attemptsAway);
        TransferCli.until(() -> cli.read("cp.err").contains("cannot read the state directory now ("));
        assertThat(cli.run("status").expect(0).out()).contains(id + "  unreadable: cannot read the plan's file ")
                .doesNotContain("damaged", "forget");
        assertThat(cli.run("status", "--json").expect(0).out()).contains("\"state\":\"unreadable\"");
        assertThat(cli.run("forget", id).expect(2).err()).contains("cannot be read").doesNotContain("--force");
        Files.move(away, batches);
        Files.move(attemptsAway, attempts);
        Files.createFile(go);
        TransferCli.until(() -> !waiting.isAlive());
        assertThat(waiting.exitValue()).as(cli.read("cp.err")).isZero();
        assertThat(cli.read("cp.err")).contains("complete: 4 of 4 entries");
    }

    @Test
    @Tag("rig")
    void waitingAfterAResumeShowsTheTransferAlone() throws Exception {
        Path source = cli.tree("source", 2, 10);
        String id = cli.submit("cp", "-aT", "--scheduler", "local", "--pre", "false", source, cli.resolve("copy"));
        cli.awaitEnd(id);
        Run resumed = cli.run("resume", "--wait", "--progress-interval", 1, "--pre", "sleep 3", id).expect(0);
        assertThat(resumed.err()).contains(id + "  waiting").doesNotContain("0 entries,");
    }

    @Test
    @Tag("rig")
    void onlyTransfersIntoEachOtherAreWarnedOf() throws Exception {
        Path source = cli.tree("source", 2, 10);
        Path all = Files.createDirectory(cli.path().resolve("all"));
        Path go = cli.resolve("go");
        String held = "until [ -e " + go + " ]; do sleep 0.1; done";
        String first = cli.submit("cp", "-aT", "--scheduler", "local", "--pre", held, source, all.resolve("a1"));
        Run beside = cli.run("cp", "-aT", "--scheduler", "local", "--pre", held, source, all.resolve("a12")).expect(0);
        assertThat(beside.err()).doesNotContain("is not finished and writes to");
        Run inside = cli.run("cp", "-a", "--parents", "--scheduler", "local", "--pre", held, source, all).expect(0);
        assertThat(inside.err()).doesNotContain("is not finished and writes to");
        Run below = cli.run("cp", "-aT", "--scheduler", "local", "--pre", held, source, all).expect(0);
        assertThat(below.err()).contains("transfer " + first + " is not finished and writes to " + all.resolve("a1"));
        Path link = Files.createSymbolicLink(cli.resolve("link"), all);
        Run through = cli.run("cp", "-aT", "--scheduler", "local", "--pre", held, source, link.resolve("a12"))
                .expect(0);
        assertThat(through.err())
                .contains("transfer " + beside.out().strip() + " is not finished and writes to " + link.resolve("a12"));
        Files.createFile(go);
        for (Run run : List.of(beside, inside, below, through)) {
            assertThat(cli.awaitEnd(run.out().strip())).contains("\"state\":\"complete\"");
        }
    }

    @Test
    void aSecondTransferToOneDestinationIsWarnedAndBothEndRight() throws Exception {
        Path source = cli.tree("source", 40, 2_000);
        Path copy = cli.path().resolve("copy");
        Files.createDirectory(copy);
        Path go = cli.resolve("go");
        String[] command = {"cp", "-aT", "--scheduler", "local", "--pre", "until [ -e " + go + " ]; do sleep 0.1; done",
                source.toString(), copy.toString()};
        String first = cli.submit((Object[]) command);
        Run run = cli.run((Object[]) command).expect(0);
        assertThat(run.err()).contains("transfer " + first + " is not finished and writes to " + copy + " too");
        Files.createFile(go);
        assertThat(cli.awaitEnd(first)).contains("\"state\":\"complete\"");
        assertThat(cli.awaitEnd(run.out().strip())).contains("\"state\":\"complete\"");
        // The token of the copy that ends last changes the time of the directory that contained both.
        Files.setLastModifiedTime(copy, Files.getLastModifiedTime(source));
        cli.expectCopy(source, copy);
    }
}
