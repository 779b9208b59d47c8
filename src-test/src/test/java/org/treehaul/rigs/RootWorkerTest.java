// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.store.Member;

/** A worker of root carries out the transfers of two users. */
@Tag("rig")
class RootWorkerTest extends RootWorkers {

    @Test
    @Tag("happy-path")
    void eachTransferIsCarriedOutAsTheUserWhoSubmittedIt() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; for i in {1..9}; do echo $i > S/f$i; done");
            Files.writeString(home(user).resolve("S/secret"), "of root");
            Files.setPosixFilePermissions(home(user).resolve("S/secret"), PosixFilePermissions.fromString("rw-------"));
            Files.writeString(home(user).resolve("S/of-group"), "of the group");
            Run.of("chgrp", GROUP, home(user).resolve("S/of-group")).expect(0);
            Files.setPosixFilePermissions(home(user).resolve("S/of-group"),
                    PosixFilePermissions.fromString("rw-r-----"));
        }
        submit(ALICE, "alice", "--on-complete", "id; env; grep Cap /proc/self/status; ps -o sid=,tty= -p $PPID");
        submit(BOB, "bob");
        assertThat(treehaul(BOB, "status", "last").out()).contains("a worker of root, which you may not see");
        // Each says that root submitted it, in the only place that the submitter fills in.
        server.run("UPDATE " + space.address().replaceFirst(".*=", "")
                + ".\"org.treehaul.schedulers.pool.TransferOffer\" SET uid = 0");
        Run worker = worker();
        assertThat(worker.err()).contains(ALICE + ": transfer ", BOB + ": transfer ", "2 transfers finished");
        for (String user : List.of(ALICE, BOB)) {
            Path target = home(user).resolve("T");
            assertThat(target.resolve("f7")).hasContent("7");
            assertThat(Files.getAttribute(target.resolve("f7"), "unix:uid")).isEqualTo((int) uid(user));
            assertThat(target.resolve("secret")).doesNotExist();
            assertThat(state(user)).contains("partial");
        }
        assertThat(home(ALICE).resolve("T/of-group")).hasContent("of the group");
        assertThat(home(BOB).resolve("T/of-group")).as("bob is not in the group").doesNotExist();
        String hook = Run.of("bash", "-c", "cat " + transfer(ALICE) + "/log/th-on-complete-*").expect(0).out();
        assertThat(hook).startsWith("uid=" + uid(ALICE) + "(" + ALICE + ") ")
                .contains("(" + GROUP + ")", "HOME=" + home(ALICE), "CapEff:\t0000000000000000",
                        "CapPrm:\t0000000000000000", "CapInh:\t0000000000000000", " ?\n")
                .doesNotContain("PGPASS", "root");
        assertThat(server.number("SELECT count(*) FROM " + space.address().replaceFirst(".*=", "")
                + ".\"org.treehaul.schedulers.pool.TransferOffer\"")).isZero();
    }

    @Test
    void aUserWithOneTransferDoesNotWaitForTheManyOfAnother() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; touch S/f");
        }
        for (int i = 0; i < 5; i++) {
            submit(ALICE, "alice");
        }
        submit(BOB, "bob");
        List<String> finished = worker().err().lines().filter(line -> line.contains(": transfer ")).toList();
        assertThat(finished).hasSize(6);
        assertThat(finished.subList(0, 3)).as("%s", finished).anyMatch(line -> line.contains(BOB));
    }

    @Test
    void commandsRunAsTheUserWhoSubmittedThem() throws Exception {
        shell(ALICE, "mkdir S; for i in {1..4}; do echo $i > S/f$i; done");
        treehaul(ALICE, "run", "--scheduler", "pool", "--space", address("alice"), "S", "--", "sh", "-c",
                "{ id -u; grep CapEff /proc/self/status; } > \"$1.id\"; [ \"${1##*/}\" != f3 ]", "sh", "{}").expect(0);
        assertThat(worker().err()).contains(ALICE + ": transfer ", "1 transfer finished");
        assertThat(state(ALICE)).contains("partial");
        for (int i = 1; i <= 4; i++) {
            assertThat(home(ALICE).resolve("S/f" + i + ".id")).hasContent(uid(ALICE) + "\nCapEff:\t0000000000000000\n");
        }
        assertThat(treehaul(ALICE, "errors", "last").out()).contains("S/f3: the command ended with 1");
    }

    @Test
    void forgedTuplesDoNoHarm() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; for i in {1..9}; do echo " + user + " $i > S/f$i; done");
        }
        submit(ALICE, "alice");
        submit(BOB, "bob");
        String of = transfer(ALICE).getFileName().toString();
        String table = "SCHEMA.\"org.treehaul.schedulers.pool.";
        String ids = "nextval('SCHEMA.\"$ids\"')";
        // Bob knows the id of alice's transfer, and forges batches of it, the right to finish it, a bound of all
        // workers, and a worker that seems to be there.
        for (int batch = 0; batch < 4; batch++) {
            sql("bob", "INSERT INTO " + table + "BatchOffer\"(\"$id\", transfer, generation, batch) VALUES (" + ids
                    + ", '" + of + "', 1, " + batch + ")");
        }
        sql("bob", "INSERT INTO " + table + "FinishOffer\"(\"$id\", transfer, generation) VALUES (" + ids + ", '" + of
                + "', 1)");
        // He sees and takes none of hers.
        assertThat(query("bob", "SELECT count(*) FROM " + table + "BatchOffer\" WHERE transfer = '" + of + "'"))
                .isEqualTo("4");
        Run worker = worker();
        assertThat(worker.err()).contains("2 transfers finished");
        for (String user : List.of(ALICE, BOB)) {
            assertThat(state(user)).contains("complete");
            assertThat(home(user).resolve("T/f4")).hasContent(user + " 4");
        }
        // Bob offers a transfer of alice as his own.
        shell(ALICE, "rm -r T .treehaul");
        submit(ALICE, "alice");
        of = transfer(ALICE).getFileName().toString();
        String since = query("owner", "SELECT since::text FROM " + table + "TransferOffer\" LIMIT 1");
        String offers = "INSERT INTO " + table + "TransferOffer\"(\"$id\", transfer, generation, format, directory, "
                + "destination, uid, priority, most, offered, since) VALUES (" + ids + ", ";
        sql("bob", offers + "'" + of + "', 1, 1, '/', '/', " + uid(ALICE) + ", 0, 0, 9, '" + since + "')");
        assertThat(worker("--bound", "/nowhere=1").err()).contains("transfer " + of + ".1 is offered by several users",
                "alice", "bob", "0 transfers finished");
        assertThat(home(ALICE).resolve("T")).doesNotExist();
        sql("bob", "DELETE FROM " + table + "TransferOffer\"");
        // Rows that no program of ours writes: null, numbers out of range, bytes that are no time.
        for (String row : List.of("NULL, 1, 1, NULL, NULL, 0, 0, 0, 9, NULL",
                "'20260101-000000-abcd', 99999999999, 1, '', '', -1, 0, -1, -5, '\\x00'",
                "'20260101-000000-abce', 1, 1, '/', '/', 0, 0, 0, -5, '" + since + "'")) {
            sql("bob", offers + row + ")");
        }
        sql("bob", "INSERT INTO " + table + "PresentWorker\"(\"$id\", name, uid, host, pid, transfer, generation, "
                + "since) VALUES (" + ids + ", NULL, 0, NULL, 0, NULL, 0, '\\x00')");
        sql("bob", "INSERT INTO " + table + "BatchOffer\"(\"$id\", transfer, generation, batch) VALUES (" + ids
                + ", NULL, 99999999999, 99999999999)");
        // He says that all slots of a bound exist.
        sql("bob", "INSERT INTO " + table + "PlaceBound\"(\"$id\", place, most, slots) VALUES (" + ids + ", '"
                + directory.path() + "', 1, 2147483647)");
        Run.of(Run.command(List.of(), Run.JAR, "status", "--pool", space).toArray()).expect(0);
        assertThat(worker("--bound", directory.path() + "=2").err()).contains("1 transfer finished");
        assertThat(state(ALICE)).contains("complete");
        sql("bob", "DELETE FROM " + table + "TransferOffer\" WHERE generation < 9");
        assertThat(worker().err()).as("with an unreadable tuple").contains("0 transfers finished");
    }

    @Test
    void rolesWithoutAUserOfThisNodeAreLeftAloneAndReportedOnce() throws Exception {
        shell(ALICE, "mkdir S; touch S/f");
        grant("carol", 0);
        submit(ALICE, "carol");
        submit(ALICE, "alice");
        assertThat(worker().err()).contains("role carol has the uid 0, and no worker acts as root for another role",
                "1 transfer finished");
        grant("carol", 3_999_999_999L);
        assertThat(worker().err()).containsOnlyOnce("role carol has the uid 3999999999, which no account of this node");
        members.revoke("carol");
        members.grant(new Member("carol", Member.Right.WRITE, false, OptionalLong.empty()));
        assertThat(worker().err()).containsOnlyOnce("role carol has no uid; an administrator");
        members.grant(new Member("carol", Member.Right.READ, false, OptionalLong.of(uid(ALICE))));
        assertThat(worker().err()).containsOnlyOnce("role carol may not write to the space any more");
        assertThat(treehaul(ALICE, "cp", "-aT", "--scheduler", "pool", "--space", address("carol"), "S", "U").expect(2)
                .err()).contains("role carol may only read this space");
        assertThat(home(ALICE).resolve("U")).doesNotExist();
    }

    @Test
    void theStateDirectoriesOfAllUsersMayHaveAPattern() throws Exception {
        String pattern = directory.path() + "/%u/state";
        shell(ALICE, "mkdir S; touch S/f");
        submit(ALICE, "alice", "--state-dir", pattern);
        assertThat(home(ALICE).resolve("state/transfers")).isDirectory();
        assertThat(worker().err()).contains("0 transfers finished");
        assertThat(worker("--state-dir", pattern).err()).contains("1 transfer finished");
        assertThat(home(ALICE).resolve("T/f")).exists();
        // In a file of settings it is found by the user's own commands and by the worker.
        shell(ALICE, "mkdir -p .config/treehaul; echo 'state-dir = " + pattern + "' > .config/treehaul/config");
        submit(ALICE, "alice");
        assertThat(home(ALICE).resolve(".treehaul")).doesNotExist();
        assertThat(worker().err()).contains("1 transfer finished");
    }

    @Test
    void aKilledChildOrWorkerIsContinuedByOthers() throws Exception {
        shell(ALICE, "mkdir S; for i in {1..9}; do head -c 100000 /dev/zero > S/f$i; done");
        submit(ALICE, "alice", "--bandwidth", "100K", "--batch-files", 1);
        Path header = transfer(ALICE).resolve("transfer");
        StateFile.read(header).with("heartbeat-ms", 100).with("takeover-ms", 1000).replace(header, true);
        Files.setAttribute(header, "unix:uid", (int) uid(ALICE));
        Path log = directory.resolve("log");
        Process worker = start(log);
        ProcessHandle first = child(worker);
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> Files.isDirectory(home(ALICE).resolve("T")));
        first.destroyForcibly();
        first.onExit().get();
        ProcessHandle second = child(worker);
        worker.destroyForcibly().waitFor();
        second.onExit().get();
        Process last = start(directory.resolve("log2"));
        treehaul(ALICE, "limit", "last", "none").expect(0);
        Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> state(ALICE).contains("complete"));
        assertThat(end(last).exitValue()).isZero();
        assertThat(last.descendants()).isEmpty();
        for (int i = 1; i <= 9; i++) {
            assertThat(home(ALICE).resolve("T/f" + i)).hasSize(100_000);
        }
    }
}
