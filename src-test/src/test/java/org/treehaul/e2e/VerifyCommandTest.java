// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/** A copy by jobs of this machine, and {@code treehaul verify} of it. */
class VerifyCommandTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void aDestinationThatIsNotMountedIsTheReasonOfEachReport() throws Exception {
        // The directory with the copy is renamed, and one without it is in its place, as without the mount.
        cli.sh("mkdir -p s m; printf 1 > s/f").expect(0);
        String[] state = {"--state-dir", "state"};
        cli.runWarmly("cp", "-aT", "s", "m/copy", "--scheduler", "local", "--wait", state[0], state[1]).expect(0);
        cli.sh("mv m away; mkdir m").expect(0);
        String reason = "is not the directory of the copy: mount the destination there";
        assertThat(cli.runWarmly("verify", "last", "--wait", state[0], state[1]).expect(23).err()).contains(reason);
        assertThat(cli.runWarmly("errors", "last", state[0], state[1]).expect(1).err()).contains("wrong mount", reason);
        assertThat(cli.runWarmly("status", "last", state[0], state[1]).expect(0).out()).contains("wrong mount", reason);
        assertThat(cli.runWarmly("status", state[0], state[1]).expect(0).out())
                .containsPattern("'treehaul status \\S+' shows the reason");
    }

    @Test
    void aCopyByJobsIsVerifiedByJobs() throws Exception {
        Path source = directory.directory("S");
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(ByteString.of("d/one"), 5_000, 1).file(ByteString.of("d/large"), 3_000_000, 2);
            writer.hardLink(ByteString.of("d/one"), ByteString.of("e/two"));
            writer.symlink(ByteString.of("e/link"), ByteString.of("two"));
        }
        // Followed links and an existing destination each take a separate code path.
        directory.directory("T");
        String[] state = {"--state-dir", "state"};
        cli.runWarmly("cp", "-aLT", "S", "T", "--scheduler", "local", "--jobs", "2", "--chunk-size", "1M", "--wait",
                state[0], state[1]).expect(0);
        String copy = only(directory.resolve("state/transfers"));
        cli.runWarmly("verify", "last", "--wait", state[0], state[1]).expect(0);

        Path large = directory.resolve("T/d/large");
        FileTime time = Files.getLastModifiedTime(large);
        byte[] data = Files.readAllBytes(large);
        data[2_500_000] ^= 1;
        Files.write(large, data);
        Files.setLastModifiedTime(large, time);
        String found = cli.runWarmly("verify", copy, "--wait", state[0], state[1]).expect(23).err();
        assertThat(found).contains("1 error");
        String verification = only(directory.resolve("state/transfers"), found);
        assertThat(found).contains("'treehaul verify --repair " + verification + "' copies again what differs");
        assertThat(cli.runWarmly("errors", "last", state[0], state[1]).expect(1).out())
                .contains("T/d/large: reads back differently: content from byte 2500000");
        assertThat(cli.runWarmly("status", "last", state[0], state[1]).expect(0).out()).contains("verify " + copy);

        assertThat(cli.runWarmly("verify", verification, state[0], state[1]).expect(2).err())
                .contains("verify the copy, " + copy);
        cli.runWarmly("verify", "--repair", verification, "--wait", state[0], state[1]).expect(0);
        data[2_500_000] ^= 1;
        assertThat(large).hasBinaryContent(data);
        String repaired = "partial; .*; repaired by [0-9a-z-]+: 'treehaul resume " + verification + "' compares again";
        assertThat(cli.runWarmly("status", state[0], state[1]).expect(0).out()).containsPattern(repaired);
        assertThat(cli.runWarmly("status", verification, state[0], state[1]).expect(0).out()).containsPattern(repaired);
        cli.runWarmly("resume", verification, "--wait", state[0], state[1]).expect(0);
        assertThat(cli.runWarmly("status", state[0], state[1]).expect(0).out()).doesNotContain("repaired by");
        assertThat(cli.runWarmly("verify", "--repair", verification, "--wait", state[0], state[1]).expect(0).err())
                .contains("nothing to repair");
    }

    @Test
    void aVerificationIsPublishedAndItsOptionsAreSaved() throws Exception {
        cli.sh("mkdir -p s home; printf 1 > s/f").expect(0);
        String[] state = {"--state-dir", "state"};
        cli.runWarmly("cp", "-aT", "s", "copy", "--scheduler", "local", "--wait", state[0], state[1]).expect(0);
        assertThat(cli
                .warmly("export HOME=$PWD/home XDG_CONFIG_HOME=; "
                        + "$T verify last --wait --state-dir state --publish site --max-running 1 --save")
                .expect(0)
                .err()).contains("saved to ");
        assertThat(cli.sh("cat home/.config/treehaul/config").expect(0).out()).contains("max-running = 1");
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                        cli.runWarmly("query", "--space", "site", "--transfers", "operation=verify", "state=complete")
                                .expect(0)
                                .out())
                        .hasLineCount(1));
    }

    /** Returns the id in a directory that a text has as well and that is not that of the copy. */
    private static String only(Path parent, String text) throws Exception {
        try (var all = Files.list(parent)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(id -> text.contains("errors " + id))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String only(Path parent) throws Exception {
        try (var all = Files.list(parent)) {
            return all.map(path -> path.getFileName().toString()).findFirst().orElseThrow();
        }
    }
}
