// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;
import org.treehaul.packaged.Run;

/** Workers of root carry out a transfer rightly when the worker is lost, the plan grows, or the user is removed. */
@Tag("rig")
class LostRootWorkerTest extends RootWorkers {

    private static ConditionFactory soon() {
        return Awaitility.await().atMost(Duration.ofMinutes(2));
    }

    private Path target(String name) {
        return home(ALICE).resolve("T").resolve(name);
    }

    private long copied() throws IOException {
        if (!Files.isDirectory(home(ALICE).resolve("T"))) {
            return 0;
        }
        try (Stream<Path> all = Files.list(home(ALICE).resolve("T"))) {
            return all.filter(file -> !String.valueOf(file.getFileName()).startsWith(".")).count();
        }
    }

    private void awaitSaid(Path log, String text) {
        soon().untilAsserted(() -> assertThat(log).content().contains(text));
    }

    private static void signal(String name, ProcessHandle process) throws Exception {
        Run.of("kill", "-" + name, process.pid()).expect(0);
    }

    /** Returns what would change if anybody wrote to the copy or to what the transfer has recorded of batches. */
    private Map<Path, String> written() throws IOException {
        Map<Path, String> written = new TreeMap<>();
        try (Stream<Path> all = Files.walk(home(ALICE).resolve("T"))) {
            for (Path file : all.toList()) {
                written.put(file, Files.getAttribute(file, "unix:ino") + " " + Files.getAttribute(file, "unix:ctime"));
            }
        }
        return written;
    }

    @Test
    void aLateProcessOfAWorkerWhoseLeaseLapsedWritesNothing() throws Exception {
        shell(ALICE, "mkdir S; for i in {1..4}; do head -c 100000 /dev/urandom > S/f$i; done");
        submit(ALICE, "alice", "--bandwidth", "50K", "--batch-files", 1);
        Path header = transfer(ALICE).resolve("transfer");
        StateFile.read(header).with("heartbeat-ms", 100).with("takeover-ms", 1000).replace(header, true);
        Files.setAttribute(header, "unix:uid", (int) uid(ALICE));
        Path log = directory.resolve("log");
        Process late = start(log, ShortLeaseWorker.command(address("pooler")));
        ProcessHandle child = child(late);
        // In the middle of a file.
        soon().until(() -> Files.isDirectory(home(ALICE).resolve("T")));
        signal("STOP", late.toHandle());
        signal("STOP", child);
        treehaul(ALICE, "limit", "last", "none").expect(0);
        start(directory.resolve("log2"), ShortLeaseWorker.command(address("pooler")));
        soon().until(() -> state(ALICE).contains("complete"));
        Map<Path, String> before = written();
        signal("CONT", child);
        signal("CONT", late.toHandle());
        // Nothing is left to do for it.
        child.onExit().get();
        assertThat(late.isAlive()).isTrue();
        assertThat(written()).isEqualTo(before);
        assertThat(before.keySet()).hasSize(5);
        for (int i = 1; i <= 4; i++) {
            assertThat(target("f" + i)).hasSameBinaryContentAs(home(ALICE).resolve("S/f" + i));
        }
    }

    @Test
    void batchesThatArePlannedLaterAreOfferedByTheWorkerAndDone() throws Exception {
        shell(ALICE, "for d in {1..300}; do mkdir -p S/$d; touch S/$d/f{1..100}; done");
        Path log = directory.resolve("log");
        Process worker = start(log);
        awaitSaid(log, "a worker of the pool");
        // It ends when it has planned everything; the worker may have done everything by then.
        FutureTask<Void> submission = new FutureTask<>(() -> {
            submit(ALICE, "alice", "--strategy", "streaming", "--batch-files", 500);
            return null;
        });
        Thread.ofPlatform().daemon().start(submission);
        String table = "\"org.treehaul.schedulers.pool.PlannedMore\"";
        String schema = space.address().replaceFirst(".*=", "");
        // The worker cannot replace the offer of alice, so it records the growth on its own.
        soon().until(() -> server
                .number("SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema
                        + "' AND tablename LIKE '%PlannedMore'") == 1
                && server.number("SELECT count(*) FROM " + schema + "." + table) == 1);
        assertThat(query("owner", "SELECT offered < (SELECT offered FROM SCHEMA." + table + ") FROM SCHEMA."
                + "\"org.treehaul.schedulers.pool.TransferOffer\"")).isEqualTo("t");
        submission.get();
        soon().until(() -> state(ALICE).contains("complete"));
        Run.of("diff", "-r", home(ALICE).resolve("S"), home(ALICE).resolve("T")).expect(0);
        soon().until(() -> server.number("SELECT count(*) FROM " + schema + "." + table) == 0);
        assertThat(end(worker).exitValue()).isZero();
    }

    @Test
    void transfersOfARemovedUserWaitUntilTheAccountIsBack() throws Exception {
        shell(ALICE, "mkdir S; for i in {1..99}; do head -c 60000 /dev/urandom > S/f$i; done");
        submit(ALICE, "alice", "--bandwidth", "50K", "--batch-files", 1);
        long uid = uid(ALICE);
        Path log = directory.resolve("log");
        Process worker = start(log);
        soon().until(() -> copied() > 0);
        members.revoke("alice");
        awaitSaid(log, "role alice may not write to the space any more");
        soon().until(() -> worker.children().findAny().isEmpty());
        long then = copied();
        assertThat(then).isLessThan(99);
        grant("alice", uid);
        soon().until(() -> copied() > then);
        Run.of("userdel", "-f", ALICE);
        awaitSaid(log, "role alice has the uid " + uid + ", which no account of this node");
        soon().until(() -> worker.children().findAny().isEmpty());
        assertThat(copied()).isLessThan(99);
        Run.of("useradd", "-M", "-d", home(ALICE), "-u", uid, "-G", GROUP, ALICE).expect(0);
        treehaul(ALICE, "limit", "last", "none").expect(0);
        soon().until(() -> state(ALICE).contains("complete"));
        assertThat(copied()).isEqualTo(99);
        assertThat(end(worker).exitValue()).isZero();
    }
}
