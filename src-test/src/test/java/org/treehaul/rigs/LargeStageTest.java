// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;

/** A large tree goes into a stage and comes back, over directories and over a server. */
class LargeStageTest {

    private static final long SPARSE = 20_000_000_000L;
    private static final int PIECES = 300;
    private static final int PIECE = 1 << 20;

    @Test
    @Tag("campaign")
    void manyFilesAndALargeSparseFileAreEqualAfterTheStage() throws Exception {
        int files = Campaign.cases(100_000);
        long sparse = SPARSE * files / 100_000;
        Random random = new Random(Campaign.seed(1));
        try (TestDirectory directory = TestDirectory.make()) {
            Cli cli = new Cli(directory.path());
            makeTree(directory.directory("src"), files, sparse, random);
            Files.writeString(directory.resolve("secret"), "0123456789abcdef0123456789abcdef\n");
            Run.of(new ProcessBuilder("chmod", "600", directory.resolve("secret").toString())).expect(0);
            Process server = cli.start("serve", "--directory", "served", "--secret-file", "secret", "--listen",
                    "127.0.0.1:0");
            try {
                String line = server.inputReader().readLine();
                // Clients reach it through its server only.
                Files.move(directory.resolve("served"), directory.resolve("far"));
                String stage = " -q --space cat --secret-file secret ";
                cli.warmly("mkdir disk1 disk2; $T stage in" + stage + "--directories disk1,disk2 --add-servers "
                        + line.substring(line.lastIndexOf(' ') + 1) + " src job:x && $T stage out" + stage
                        + "job:x out && $T stage check" + stage + "job:").expect(0);
                assertThat(cli.warmly("rsync -anic --delete src/ out/").expect(0).out()).isEmpty();
                assertThat(blocks(directory, "out/sparse")).as("KiB of data in holes are few")
                        .isLessThan((long) PIECES * 3 * PIECE / 1024);
                assertThat(blocks(directory, "disk1") + blocks(directory, "disk2") + blocks(directory, "far"))
                        .isLessThan(blocks(directory, "src") + (long) PIECES * 3 * PIECE / 1024 + 8L * files);
                // A second run skips the entries that the stage has.
                assertThat(cli.warmly("$T stage in --json" + stage.replace("-q", "") + "src job:x").expect(0).out())
                        .contains("\"skipped\":" + (files + 1));
                cli.warmly("$T stage rm -rq --space cat --secret-file secret job:").expect(0);
            } finally {
                server.destroy();
                server.waitFor();
            }
        }
    }

    private static void makeTree(Path root, int files, long sparse, Random random) throws Exception {
        for (int i = 0; i < files; i++) {
            Path parent = root.resolve("d" + i / 10_000 + "/e" + i / 100 % 100);
            if (i % 100 == 0) {
                Files.createDirectories(parent);
            }
            byte[] data = new byte[random.nextInt(6000)];
            random.nextBytes(data);
            Files.write(parent.resolve("f" + i), data);
        }
        try (RandomAccessFile file = new RandomAccessFile(root.resolve("sparse").toFile(), "rw")) {
            byte[] piece = new byte[PIECE];
            file.setLength(sparse);
            for (int i = 0; i < PIECES; i++) {
                random.nextBytes(piece);
                file.seek(random.nextLong(sparse - PIECE));
                file.write(piece);
            }
        }
    }

    private static long blocks(TestDirectory directory, String path) throws Exception {
        return Long.parseLong(Run.of(new ProcessBuilder("du", "-sk", directory.resolve(path).toString()))
                .expect(0)
                .out()
                .split("\t", 2)[0]);
    }
}
