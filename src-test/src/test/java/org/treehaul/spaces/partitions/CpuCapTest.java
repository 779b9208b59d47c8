// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the choice of the control group in files like those of the kernel, and the group of the running kernel. */
class CpuCapTest {

    @TempDir
    Path directory = Path.of("");

    private Path self = Path.of("");
    private Path mount = Path.of("");

    @BeforeEach
    void makeFiles() throws IOException {
        self = Files.createDirectory(directory.resolve("self"));
        mount = Files.createDirectory(directory.resolve("mount"));
    }

    private void mounted(String type, String options, String own) throws IOException {
        Files.writeString(self.resolve("mountinfo"), "22 1 8:1 / / rw - ext4 /dev/vda rw\n32 31 0:29 / " + mount
                + " rw,relatime shared:9 - " + type + " cgroup rw" + options + "\n");
        Files.writeString(self.resolve("cgroup"), own + "\n");
    }

    private void second(String group, String controllers, String passedOn) throws IOException {
        Path parent = Files.createDirectories(mount.resolve(group));
        Files.writeString(parent.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(parent.resolve("cgroup.subtree_control"), passedOn + "\n");
    }

    @Test
    void aGroupOfVersionOneIsMadeBelowThatOfThisProcess() throws IOException {
        mounted("cgroup", ",cpu,cpuacct", "2:memory:/other\n1:cpu,cpuacct:/own");
        Path own = Files.createDirectories(mount.resolve("own"));

        CpuCap cap = CpuCap.make(self, "bench");
        cap.limit(0.25);

        assertThat(own.resolve("bench/cpu.cfs_quota_us")).hasContent("2500");
        assertThat(own.resolve("bench/cpu.cfs_period_us")).hasContent("10000");
        assertThat(own.resolve("bench/cpu.shares")).hasContent("102400");
        cap.limit(0);
        assertThat(own.resolve("bench/cpu.cfs_quota_us")).hasContent("-1");
        assertThat(own.resolve("bench/cpu.shares")).hasContent("1024");
    }

    @Test
    void aGroupOfVersionTwoIsMadeWhereProcessorsAreControlled() throws IOException {
        mounted("cgroup2", "", "0::/user/session");
        second("", "cpuset cpu io", "cpu io");
        second("user", "cpu io", "cpu");
        second("user/session", "io", "");

        CpuCap cap = CpuCap.make(self, "bench");
        cap.limit(0.5);

        assertThat(mount.resolve("user/bench/cpu.max")).hasContent("5000 10000");
        assertThat(mount.resolve("user/bench/cpu.weight")).hasContent("10000");
        cap.limit(0);
        assertThat(mount.resolve("user/bench/cpu.weight")).hasContent("100");
        assertThat(mount.resolve("user/bench/cpu.max")).hasContent("max 10000");
    }

    @Test
    void theControlOfProcessorsIsPassedOnIfItIsNot() throws IOException {
        mounted("cgroup2", "", "0::/");
        second("", "cpuset cpu io", "");

        CpuCap.make(self, "bench");

        assertThat(mount.resolve("bench")).isDirectory();
        assertThat(mount.resolve("cgroup.subtree_control")).content().startsWith("+cpu");
    }

    @Test
    void whereNoGroupCanBeMadeTheReasonIsSaid() throws IOException {
        mounted("tmpfs", "", "0::/");
        assertThatThrownBy(() -> CpuCap.make(self, "bench")).isInstanceOf(IOException.class)
                .hasMessageContaining("no control groups");

        mounted("cgroup2", "", "0::/");
        second("", "io", "");
        assertThatThrownBy(() -> CpuCap.make(self, "bench")).isInstanceOf(IOException.class)
                .hasMessageContaining(mount + " has no control of processors");

        mounted("cgroup", ",cpu", "1:cpu:/");
        Files.createDirectory(mount.resolve("bench"));
        assertThatThrownBy(() -> CpuCap.make(self, "bench")).isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be made");
    }

    @Test
    void aProcessAndItsChildrenAreLimitedByTheKernel() throws Exception {
        CpuCap cap;
        try {
            cap = CpuCap.make("treehaul-test-" + ProcessHandle.current().pid());
        } catch (IOException e) {
            Assumptions.abort(e.getMessage());
            return;
        }
        Process shell = new ProcessBuilder("sh", "-c", "read line; cat /proc/self/cgroup; exit").start();
        try {
            cap.add(shell.toHandle());
            cap.limit(0.5);
            shell.outputWriter().append("go\n").flush();

            assertThat(shell.inputReader().readAllAsString()).contains("treehaul-test-");
        } finally {
            shell.destroyForcibly().waitFor();
        }
        cap.close();
    }
}
