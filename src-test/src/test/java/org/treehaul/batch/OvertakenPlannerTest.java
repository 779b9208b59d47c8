// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** Transfers that another command cancels or resumes while they are planned. */
class OvertakenPlannerTest extends LocalJobsTests {

    // Returns the id as soon as the transfer can be resumed.
    private String begun(Process copying) throws IOException {
        Path all = cli.state().resolve("transfers");
        TransferCli.until(() -> !said(all).isEmpty() || !copying.isAlive());
        assertThat(said(all)).as(cli.read("cp.err")).isNotEmpty();
        return all.relativize(said(all).getFirst()).getName(0).toString();
    }

    private static List<Path> said(Path all) {
        return TransferCli.files(all, path -> path.endsWith("request"));
    }

    @Test
    void aTransferCancelledWhilePlanningIsNotCopied() throws Exception {
        Path source = cli.tree("source", 3, 10);
        Path list = cli.resolve("list");
        Run.of("mkfifo", list).expect(0);
        Process copying = cli.start("cp", "cp", "-a", "--scheduler", "local", "--files-from", list, source,
                cli.resolve("copy"));
        try {
            String id = begun(copying);
            assertThat(cli.run("cancel", id).expect(0).err()).contains(id + " is cancelled");
            Files.writeString(list, "d0/f1\n");
            assertThat(copying.waitFor()).as(cli.read("cp.err")).isEqualTo(20);
            assertThat(cli.read("cp.err")).contains(id + " was cancelled, resumed or forgotten by another command");
            assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  cancelled\n");
            assertThat(cli.resolve("copy")).doesNotExist();
            assertThat(TransferCli.files(cli.of(id, "jobs"), Files::isRegularFile)).isEmpty();
        } finally {
            copying.destroyForcibly();
        }
    }

    @Test
    @Tag("rig")
    void aPlannerTakenForDeadLeavesTheTransferToItsSuccessor() throws Exception {
        Path source = cli.tree("source", 60, 10);
        Path copy = cli.resolve("copy");
        Path list = cli.resolve("list");
        Run.of("mkfifo", list).expect(0);
        // The planner waits for the end of its list.
        RandomAccessFile rest = new RandomAccessFile(list.toFile(), "rw");
        Process copying = cli.start("cp", "cp", "-a", "--scheduler", "local", "--files-from", list, source, copy);
        try {
            String id;
            try (rest) {
                id = begun(copying);
                signal("STOP", copying);
                Files.delete(list);
                Files.write(list, List.of("d0/f1", "d1"));
                cli.run("resume", "--wait", id).expect(0);
                signal("CONT", copying);
            }
            TransferCli.until(() -> !copying.isAlive());
            assertThat(copying.exitValue()).as(cli.read("cp.err")).isEqualTo(20);
            assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  complete; 100%");
            assertThat(copy.resolve("d0/f1")).exists();
            assertThat(copy.resolve("d1/f59")).exists();
            assertThat(copy.resolve("d0/f2")).doesNotExist();
        } finally {
            copying.destroyForcibly();
        }
    }

    @Test
    @Tag("rig")
    void aPlannerStoppedWhileItPlansLeavesTheTransferToItsSuccessor() throws Exception {
        assumeTrue(Run.of("sh", "-c", "command -v strace").code() == 0, "strace is not installed");
        Path source = cli.tree("source", 300, 10);
        Path copy = cli.resolve("copy");
        // Each listing takes so long that planning still runs when it is stopped.
        Process copying = cli.startBy(
                List.of("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=getdents64", "-e",
                        "inject=getdents64:delay_enter=500000"),
                "cp", "cp", "-a", "--threads", 1, "--scheduler", "local", source, copy);
        try {
            String id = begun(copying);
            TransferCli.until(() -> Files.exists(cli.of(id, "plan/heartbeat")));
            ProcessHandle planner = copying.children().findFirst().orElseThrow();
            Run.of("kill", "-STOP", planner.pid()).expect(0);
            assertThat(cli.of(id, "plan/sealed")).doesNotExist();
            cli.run("resume", "--wait", id).expect(0);
            Run.of("kill", "-CONT", planner.pid()).expect(0);
            TransferCli.until(() -> !copying.isAlive());
            assertThat(copying.exitValue()).as(cli.read("cp.err")).isEqualTo(20);
            assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  complete; 100%");
            cli.expectCopy(source, copy);
        } finally {
            copying.children().forEach(ProcessHandle::destroyForcibly);
            copying.destroyForcibly();
        }
    }

    private static void signal(String name, Process process) throws IOException, InterruptedException {
        Run.of("kill", "-" + name, process.pid()).expect(0);
    }
}
