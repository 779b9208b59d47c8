// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pool.TransferOffer;

/** The command line of a pool: {@code --scheduler pool} and {@code worker --pool}. */
class PoolCommandsTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void makeSource() throws IOException {
        for (int i = 0; i < 20; i++) {
            Files.write(Files.createDirectories(directory.resolve("S")).resolve("f" + i), new byte[50_000 + i]);
        }
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    /** Returns a command with the state directory of this test. */
    private static String pooled(String command) {
        return "$T " + command.replaceFirst(" ", " --state-dir=\\$PWD/state ");
    }

    private void refused(String command, String message) throws Exception {
        assertThat(cli.warmly(command.startsWith("worker") ? "$T " + command : pooled(command)).expect(2).err())
                .as(command)
                .contains(message);
        assertThat(directory.resolve("T")).doesNotExist();
        assertThat(directory.resolve("state/transfers")).satisfiesAnyOf(none -> assertThat(none).doesNotExist(),
                empty -> assertThat(empty).isEmptyDirectory());
    }

    @Test
    void argumentsThatHaveNoMeaningForAPoolAreRefused() throws Exception {
        refused("cp -aT --scheduler pool S T", "--scheduler pool needs --space URI");
        refused("cp -aT --space $PWD/pool S T", "--space needs --scheduler pool");
        refused("cp -aT --scheduler local --space $PWD/pool S T", "--space needs --scheduler pool");
        refused("cp -aT --scheduler pool --space mem:x S T", "a space that other processes can open");
        refused("cp -aT --scheduler pool --space sqlite: S T", "--space: 'sqlite:' names no tuple space");
        refused("cp -aT --scheduler pool --space nonesuch://x S T", "nonesuch://x");
        for (String secret : List.of("postgresql://me:hidden@db/x", "postgresql://me:hid/hidden@db/x",
                "postgresql://db/x?password=hidden")) {
            refused("cp -aT --scheduler pool --space '" + secret + "' S T", "must not contain a password");
            assertThat(cli.warmly("$T worker --pool '" + secret + "'").expect(2).err()).doesNotContain("hidden");
        }
        refused("cp -aT --scheduler pool --space $PWD/pool --pre x S T", "--pre and --post run in jobs");
        refused("cp -aT --scheduler pool --space $PWD/pool --walltime 10 S T", "leave out --walltime");
        refused("cp -aT --scheduler pool --space $PWD/pool --requeue S T", "and --requeue");
        refused("cp -aT --scheduler pool --space $PWD/pool --plan-in-job S T", "leave out --plan-in-job");
        refused("cp -aT --scheduler pool --space $PWD/pool --queue '-p short' S T",
                "--queue priority=N, not '-p short'");
        refused("worker", "--pool URI is missing");
        refused("worker --pool mem:x", "a space that other processes can open");
        refused("worker --pool $PWD/pool --idle -1", "--idle must be");
        refused("worker --pool 'a\\b'", "must not contain backslashes");
        refused("worker --pool $PWD/S", "the directory contains other files");
        refused("cp -aT --scheduler pool --space $PWD/S S T", "the directory contains other files");
        refused("cp -aT --scheduler local --publish $PWD/S S T", "the directory contains other files");
        refused("worker --pool $PWD/pool --bound /scratch", "--bound must be DIR=N");
        refused("worker --pool $PWD/pool --bound =3", "--bound must be DIR=N");
        refused("worker --pool $PWD/pool --bound /scratch=-1", "--bound must be DIR=N");
        refused("worker --pool $PWD/S/f1", "S/f1");
    }

    @Test
    void theSettingOfTheSpaceAppliesToAPoolOnly() throws Exception {
        cli.warmly(
                "export TREEHAUL_SPACE=pool TREEHAUL_PRE=false TREEHAUL_QUEUE='-p short' TREEHAUL_WALLTIME=60; $T cp -aT S plain && "
                        + pooled("cp -aT --scheduler pool S T"))
                .expect(0);
        assertThat(directory.resolve("plain/f19")).exists();
        assertThat(cli.warmly(pooled("status last")).expect(0).out()).contains("start 'treehaul worker --pool sqlite:"
                + directory.path() + "/pool --state-dir " + directory.path() + "/state'");
        assertThat(cli.warmly(pooled("cancel last") + " && " + pooled("status last")).expect(0).out())
                .contains("cancelled");
    }

    @Test
    void aWorkerThatIsTerminatedGivesItsBatchBackAndTheNextFinishes() throws Exception {
        cli.warmly(pooled("cp -aT --scheduler pool --space $PWD/pool --batch-files 2 --bandwidth 300K S T")).expect(0);
        Process worker = cli.start("worker", "--state-dir", "state", "--pool", "pool", "--threads", "1");
        try {
            Cli.awaitSignalHandlers(worker);
            while (!Files.exists(directory.resolve("T"))) {
                assertThat(worker.waitFor(20, TimeUnit.MILLISECONDS)).as("ended early").isFalse();
            }
            Cli.signal(worker, "TERM");
            assertThat(worker.waitFor()).isZero();
        } finally {
            worker.destroyForcibly();
        }
        assertThat(cli.warmly(pooled("status last")).expect(0).out()).contains("they wait for: a worker");
        assertThat(cli
                .warmly(pooled("limit last none") + " && " + pooled("worker --pool $PWD/pool --idle 0 --bound $PWD=1"))
                .expect(0)
                .err()).contains("copied all of 20 entries", "1 transfer finished");
        assertThat(cli.warmly(pooled("status last")).expect(0).out()).contains("complete; 100%");
        cli.sh("cmp S/f7 T/f7").expect(0);
    }

    @Test
    void rootGivesNoCommandsToAPool() throws Exception {
        Privilege.requireRoot("ordinary users may");
        String pool = " --scheduler pool --space $PWD/pool ";
        String never = "no worker of a pool runs a command as root: ";
        refused("cp -aT" + pool + "--on-complete true S T", never + "leave out --on-complete");
        refused("sync" + pool + "--on-complete true S/ T", never + "leave out --on-complete");
        refused("run" + pool + "S -- touch T", never + "give the commands of 'treehaul run' to another scheduler");
        String moved = "cp -aT --scheduler local --on-complete 'touch ran' --bandwidth 1K S T";
        cli.warmly(pooled(moved) + "; " + pooled("cancel last")).expect(0);
        assertThat(cli.warmly(pooled("resume" + pool + "last")).expect(2).err()).contains(never);
        cli.warmly(pooled("resume --bandwidth 1G --on-complete ''" + pool + "last") + " && "
                + pooled("worker --pool $PWD/pool --idle 0")).expect(0);
        assertThat(directory.resolve("T/f7")).hasSameBinaryContentAs(directory.resolve("S/f7"));
        assertThat(directory.resolve("ran")).doesNotExist();
    }

    @Test
    @Tag("rig")
    void commandsOfOrdinaryUsersAreRunByTheirWorkers() throws Exception {
        Path ids = Files.createDirectory(directory.resolve("ids"));
        List<String> user = OrdinaryUser.owning(directory.path());
        Path jar = Run.copyOfJar(directory.path());
        Path state = directory.resolve("state");
        List<Object> pool = List.of("--state-dir", state, "--scheduler", "pool", "--space", directory.resolve("pool"));
        for (List<Object> command : List.<List<Object>>of(
                List.of("cp", "-aT", "--on-complete", "echo $TREEHAUL_TRANSFER ended with $TREEHAUL_CODE",
                        directory.resolve("S"), directory.resolve("T")),
                List.of("run", directory.resolve("S"), "--", "sh", "-c", "id -u > $0/${1##*/}", ids, "{}"),
                List.of("worker", "--state-dir", state, "--pool", directory.resolve("pool"), "--idle", 0))) {
            List<Object> words = new ArrayList<>(command);
            if (!command.getFirst().equals("worker")) {
                words.addAll(1, pool);
            }
            Run.of(Run.command(user, jar, words.toArray()).toArray()).expect(0);
        }
        assertThat(cli.sh("cat state/transfers/*/log/th-on-complete-*.out").expect(0).out())
                .matches("[0-9]+-[0-9]+-[a-z0-9]+ ended with 0\n");
        assertThat(cli.sh("stat -c %u S/f7; cat ids/f7").expect(0).out()).matches("([0-9]+)\n\\1\n");
    }

    @Test
    void otherCommandsByJobsUseAPoolToo() throws Exception {
        String pool = "--scheduler pool --space $PWD/pool ";
        String worker = " && " + pooled("worker --pool $PWD/pool --idle 0");
        cli.warmly(pooled("cp -aT " + pool + "S T") + worker + " && " + pooled("verify last") + worker).expect(0);
        cli.warmly(pooled("chmod " + pool + "-R 600 T") + " && " + pooled("rm " + pool + "-r S") + worker).expect(0);
        assertThat(directory.resolve("S")).doesNotExist();
        assertThat(cli.sh("stat -c %a T/f3").expect(0).out()).isEqualTo("600\n");
        assertThat(cli.warmly(pooled("status | cat")).expect(0).out().lines()).hasSize(4)
                .allSatisfy(line -> assertThat(line).contains("complete; 100%"));
    }

    @Test
    void statusShowsThePoolItself() throws Exception {
        assertThat(cli.warmly("$T status --pool $PWD/pool").expect(2).err()).contains("there is no tuple space");
        assertThat(cli.warmly("$T status --pool $PWD/pool last").expect(2).err()).contains("--pool shows a pool");
        cli.warmly(pooled("cp -aT --scheduler pool --space $PWD/pool --max-running 3 --queue priority=2 S T"))
                .expect(0);
        // It has another state directory, so that it waits.
        Process worker = cli.start("worker", "--state-dir", "other", "--pool", "pool", "--bound", "/srv=4");
        try {
            Cli.awaitSaid(worker, "--state-dir names another one");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(cli.warmly("$T status --pool $PWD/pool").expect(0).out())
                            .containsPattern("^worker  \\S+:" + worker.pid()
                                    + "  \\S+  waiting since [-0-9]{10} [0-9:]{8}\ntransfer  [-0-9a-z]+  \\S+  "
                                    + "0 workers of at most 3; batches waiting 20 of 20; priority 2; to "
                                    + directory.path() + "/T\nbound  /srv  at most 4 workers\n$"));
            assertThat(cli.warmly("$T status --json --pool $PWD/pool").expect(0).out()).contains("\"type\":\"worker\"",
                    "\"pid\":" + worker.pid(), "\"max_workers\":3", "\"place\":\"/srv\"");
            Cli.signal(worker, "TERM");
            assertThat(worker.waitFor()).isZero();
        } finally {
            worker.destroyForcibly();
        }
        assertThat(cli.warmly("$T status --pool $PWD/pool").expect(0).out()).doesNotContain("worker  ");
        cli.sh("cp -r pool damaged").expect(0);
        try (Connection connection = DriverManager
                .getConnection("jdbc:sqlite:" + directory.path().resolve("damaged/space.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE \"" + TransferOffer.class.getName() + "\" SET since = x'00'");
        }
        Run damaged = cli.warmly("$T status --pool $PWD/damaged").expect(0);
        assertThat(damaged.err()).containsPattern("tuple [0-9]+ of " + TransferOffer.class.getName() + " .*left out");
        assertThat(damaged.out()).contains("bound  /srv").doesNotContain("transfer  ");
        Run asked = cli.warmly("$T query --space $PWD/pool kind=regular").expect(0);
        assertThat(asked.out()).isEmpty();
        assertThat(asked.err()).contains("the space has no index of files");
        cli.warmly(pooled("cancel last")).expect(0);
        assertThat(cli.warmly("$T status --watch --pool $PWD/pool").expect(0).err())
                .contains("no worker and no transfer");
    }

    @Test
    @Tag("rig")
    void savedSettingsNameThePoolFromEveryDirectory() throws Exception {
        cli.sh("export HOME=$PWD/home; mkdir home d; "
                + pooled("cp -aT --scheduler pool --space pool --publish site --save S T") + " && cd d && "
                + "$T worker --pool ../pool --state-dir ../state --idle 0 && $T query --transfers --count").expect(0);
        assertThat(directory.resolve("home/.config/treehaul/config")).content()
                .contains("publish = " + directory.path() + "/site\n", "space = " + directory.path() + "/pool\n",
                        "state-dir = " + directory.path() + "/state\n");
    }

    @Test
    void theWorkersOfServicesPodsAndJobsOnThePageStartAsPrinted() throws Exception {
        List<String> commands = GuidePage.named("pool.md")
                .text()
                .lines()
                .filter(line -> line.matches(" *(ExecStart=|command: \\[|sbatch ).*"))
                .map(line -> line.replaceAll("\", *\"", " ")
                        .replaceFirst(".*?treehaul worker ", "")
                        .replaceFirst("[\"\\]]+$", ""))
                .toList();
        assertThat(commands).hasSize(4).allMatch(words -> words.contains("--pool "));
        for (String words : commands) {
            String here = words.replaceAll("'?postgresql://[^ ]+", "\\$PWD/pool")
                    .replace("/data/alice", "$PWD")
                    .replace("600", "0");
            assertThat(cli.warmly("$T worker " + here + (here.contains("--idle") ? "" : " --idle 0")).expect(0).err())
                    .contains("a worker of the pool");
        }
    }

    @Test
    void theDestinationMayHaveANameThatTheLocaleLacks() throws Exception {
        cli.warmly("t=$(printf 'T\\303\\251\\351'); " + pooled("cp -aT --scheduler pool --space $PWD/pool S \"$t\"")
                + " && " + pooled("worker --pool $PWD/pool --idle 0") + " && cmp S/f7 \"$t/f7\"").expect(0);
    }
}
