// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.e2e.Cli;

/** A mount that does not answer: the program names the path that hangs, and can be ended. */
@Tag("rig")
class HungMountTest {

    // A guard against hanging for ever, not a limit on speed.
    private static final int SECONDS = 60;

    @AutoClose
    private TreeWithMount tree;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void makeTree() throws Exception {
        tree = new TreeWithMount(5, 1000);
    }

    @AfterEach
    void killProcesses() {
        // The processes end when the mount answers or is gone.
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String... arguments) throws Exception {
        Process process = new Cli(tree.path()).start(arguments);
        started.add(process);
        Cli.awaitSignalHandlers(process);
        return process;
    }

    // Signals the process until it names the entry that hangs.
    private static void awaitInHand(Process process, StringBuilder heard, String entry) {
        Awaitility.await().atMost(Duration.ofSeconds(SECONDS)).pollInterval(Duration.ofMillis(200)).until(() -> {
            Cli.signal(process, "USR1");
            hear(process, heard);
            return heard.indexOf("in progress: " + entry + "\n") >= 0;
        });
    }

    private static void hear(Process process, StringBuilder heard) throws Exception {
        byte[] bytes = new byte[process.getErrorStream().available()];
        heard.append(new String(bytes, 0, Math.max(0, process.getErrorStream().read(bytes)), StandardCharsets.UTF_8));
    }

    private static void interruptTwice(Process process, StringBuilder heard) throws Exception {
        Cli.signal(process, "INT");
        Awaitility.await().atMost(Duration.ofSeconds(SECONDS)).until(() -> {
            hear(process, heard);
            return heard.indexOf("stopping: ") >= 0;
        });
        // Two signals that come at once count as one.
        Thread.sleep(400);
        assertThat(process.isAlive()).isTrue();
        Cli.signal(process, "INT");
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(process.exitValue()).isEqualTo(20);
        hear(process, heard);
        assertThat(heard).doesNotContain("Exception");
    }

    @ParameterizedTest
    @CsvSource({"walk --print S,S/sub", "cmp S behind,S/sub", "cp -r S T,S/sub", "cp -r S/sub T,S/sub",
            "cp -r behind S/sub,S/sub"})
    void aHungCallIsNamedAndTheSecondInterruptEndsTheCommand(String line, String entry) throws Exception {
        Files.createDirectories(tree.resolve("T"));
        tree.mount().hang();
        Process process = start(line.split(" "));
        StringBuilder heard = new StringBuilder();

        awaitInHand(process, heard, entry);
        interruptTwice(process, heard);

        // The entry is named again for users who did not send a signal.
        assertThat(heard.substring(heard.indexOf("stopping: "))).contains("not done: " + entry + "\n");
    }

    @Test
    void theRestIsCopiedDuringAHangAndANewCopyIsWholeOnceTheMountAnswers() throws Exception {
        tree.mount().hang();
        Process process = start("cp", "-a", "--threads", "2", "S", "T");
        StringBuilder heard = new StringBuilder();
        awaitInHand(process, heard, "S/sub");
        Awaitility.await()
                .atMost(Duration.ofSeconds(SECONDS))
                .until(() -> Files.exists(tree.resolve("T/f4")) && Files.exists(tree.resolve("T/f0")));
        interruptTwice(process, heard);

        tree.mount().goOn();
        new Cli(tree.path()).run("cp", "-aT", "S", "T").expect(0);
        Transfers.assertCopied(tree.resolve("S"), tree.resolve("T"));
    }

    @Test
    void aDestinationThatHangsIsNamedAndLeavesNothingHalfDone() throws Exception {
        Transfers.tree(tree.resolve("new/sub"), writer -> writer.file(name("f0"), 9000, 3));
        tree.mount().hang();
        Process process = start("cp", "-aT", "new", "S");
        StringBuilder heard = new StringBuilder();
        awaitInHand(process, heard, "new/sub");
        interruptTwice(process, heard);

        tree.mount().goOn();
        assertThat(tree.behind().resolve("f0")).hasSize(1000);
        new Cli(tree.path()).run("cp", "-aT", "new", "S").expect(0);
        assertThat(tree.behind().resolve("f0")).hasSameBinaryContentAs(tree.resolve("new/sub/f0"));
        Transfers.assertNoTemporaries(tree.behind());
    }

    @Test
    void anInterruptedCopyEndsByItselfWhenTheMountAnswersAgain() throws Exception {
        tree.mount().hang();
        Process process = start("cp", "-a", "S", "T");
        StringBuilder heard = new StringBuilder();
        awaitInHand(process, heard, "S/sub");
        Cli.signal(process, "INT");
        Awaitility.await().atMost(Duration.ofSeconds(SECONDS)).until(() -> {
            hear(process, heard);
            return heard.indexOf("stopping: ") >= 0;
        });

        tree.mount().goOn();
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(process.exitValue()).isEqualTo(20);
    }
}
