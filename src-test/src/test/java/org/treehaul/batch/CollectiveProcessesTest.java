// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;

/** Collective reads and writes by processes, which exchange messages by MPJ Express over the loopback interface. */
@Tag("rig")
class CollectiveProcessesTest {

    private final TestDirectory directory = TestDirectory.make();
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void requireMpj() {
        RankGroup.requireMpj();
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
        directory.close();
    }

    /** Starts the ranks, which are killed at the end of the test. */
    private List<Process> ranks(Path... files) throws IOException {
        List<Process> ranks = new ArrayList<>();
        for (int rank = 0; rank < CollectiveRank.RANKS; rank++) {
            List<String> command = new ArrayList<>(List.of(Run.JAVA.toString(), "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                    System.getProperty("java.class.path"), CollectiveRank.class.getName(), String.valueOf(rank),
                    directory.resolve("meeting").toString()));
            Arrays.stream(files).map(Path::toString).forEach(command::add);
            ranks.add(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
        }
        started.addAll(ranks);
        return ranks;
    }

    private static String rest(Process rank) throws Exception {
        String text = new String(rank.getInputStream().readAllBytes(), UTF_8);
        assertThat(rank.waitFor()).as(text).isZero();
        return text;
    }

    @Test
    void aPlainFileIsWrittenAndReadAndAKilledRankEndsTheOthersWithItsName() throws Exception {
        Path file = directory.resolve("matrix");
        List<Process> ranks = ranks(file);
        for (Process rank : ranks) {
            assertThat(rank.inputReader().readLine()).isEqualTo("read");
        }
        // They read on and on.
        ranks.get(2).destroyForcibly();
        for (int rank : new int[]{0, 1, 3}) {
            String said = String.join("\n", ranks.get(rank).inputReader().lines().toList());
            assertThat(ranks.get(rank).waitFor()).as(said).isZero();
            assertThat(said).contains("left with: rank 2 on host1 ");
        }
        assertThat(file).hasBinaryContent(CollectiveRank.matrix());
    }

    @Test
    void aParallelFileThatOneRankMakesIsWrittenAndReadByAll() throws Exception {
        Path secret = Files.createFile(directory.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
        Cli cli = new Cli(directory.path());
        List<String> addresses = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            Process server = cli.start("serve", "--directory", "n" + i, "--secret-file", "secret", "--listen",
                    "127.0.0.1:0");
            started.add(server);
            String line = server.inputReader().readLine();
            assertThat(line).isNotNull().startsWith("serving ");
            addresses.add(line.substring(line.lastIndexOf(' ') + 1));
            // Not at the path that clients know, as on another node.
            Files.move(directory.resolve("n" + i), directory.resolve("far" + i));
        }
        cli.warmly("mkdir empty; $T stage in -q --space cat --secret-file secret --add-servers "
                + String.join(",", addresses) + " empty job:").expect(0);
        for (Process rank : ranks(directory.resolve("cat"), secret)) {
            assertThat(rest(rank)).isEqualTo("read\n");
        }
        cli.warmly("$T stage out -q --space cat --secret-file secret job: out").expect(0);
        assertThat(directory.resolve("out/matrix")).hasBinaryContent(CollectiveRank.matrix());
        cli.warmly("$T stage verify -q --space cat --secret-file secret job:").expect(0);
    }
}
