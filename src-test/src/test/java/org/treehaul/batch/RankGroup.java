// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/**
 * Runs ranks as processes of the packaged jar, with a tree that they walk and a meeting file. Closing it ends the ranks
 * that still run.
 */
final class RankGroup implements AutoCloseable {

    private static final Path MPJ = Path.of("/usr/share/mpj/lib/mpj.jar");
    private static final int DIRECTORIES = 40;
    private static final int FILES = 200;
    private static final String LONG = "a-name-so-long-that-the-paths-of-all-are-more-than-a-few-pipes-can-hold-"
            .repeat(2);

    private static final class Tree {
        static final Path PATH = make();

        private static Path make() {
            TestDirectory directory = TestDirectory.make();
            Runtime.getRuntime().addShutdownHook(new Thread(directory::close));
            try {
                return makeTree(directory.directory("tree"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Makes a tree whose paths exceed the pipes of a few ranks; some files have names in two directories. */
        private static Path makeTree(Path tree) throws IOException {
            for (int i = 0; i < DIRECTORIES; i++) {
                Path below = Files.createDirectory(tree.resolve("d" + i));
                for (int j = 0; j < FILES; j++) {
                    Files.createFile(below.resolve(LONG + j));
                }
                Files.writeString(below.resolve("first"), "x".repeat(i));
                Files.createLink(tree.resolve("d0").resolve("second" + i), below.resolve("first"));
            }
            return tree;
        }
    }

    private final TestDirectory directory = TestDirectory.make();
    private final List<Process> ranks = new ArrayList<>();
    private final String command;

    RankGroup() {
        this("walk");
    }

    /** Makes a group that runs a command. */
    RankGroup(String command) {
        this.command = command;
    }

    /** Skips the test if MPJ Express is missing. */
    static void requireMpj() {
        assumeTrue(Files.isReadable(MPJ), "MPJ Express (package libmpj-java) is not installed");
    }

    /** Returns the name of this host in the messages of ranks. */
    static String host() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    }

    /** Returns the tree, which all groups share and no test changes. */
    Path tree() {
        return Tree.PATH;
    }

    Path resolve(String name) {
        return directory.resolve(name);
    }

    /** Makes a tree with the same directories, all empty. */
    Path emptyTree() throws IOException {
        Path tree = directory.directory("empty");
        for (int i = 0; i < DIRECTORIES; i++) {
            Files.createDirectory(tree.resolve("d" + i));
        }
        return tree;
    }

    /** Returns the command of a rank; with a negative number the command for srun, without --rank. */
    List<String> command(List<?> by, int size, int rank, Object... rest) {
        List<Object> arguments = new ArrayList<>(
                List.of(command, "--ranks", size, "--transport", "mpj", "--meet", resolve("meeting")));
        if (rank >= 0) {
            arguments.addAll(List.of("--rank", rank));
        }
        arguments.addAll(List.of(rest));
        return Run.command(by, Run.JAR, arguments.toArray());
    }

    /** Starts the next rank, without reading its output. */
    void start(List<?> by, int size, Object... rest) throws IOException {
        int rank = ranks.size();
        ProcessBuilder builder = new ProcessBuilder(command(by, size, rank, rest))
                .redirectError(resolve(rank + ".err").toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SLURM") || name.equals("MPJ_HOME"));
        ranks.add(builder.start());
    }

    Process rank(int rank) {
        return ranks.get(rank);
    }

    /** Reads the output of a rank to its end. */
    String out(int rank) throws IOException {
        return new String(ranks.get(rank).getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Discards the further output of a rank. */
    void drain(int rank) {
        Thread.ofVirtual().start(() -> {
            try {
                ranks.get(rank).getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // The rank was killed.
            }
        });
    }

    String err(int rank) throws IOException {
        // Without a terminal, slow ranks print a line of progress every few seconds.
        return Files.readString(resolve(rank + ".err"))
                .replaceAll("(?m)^treehaul: \\w+: [0-9]{2}:[0-9]{2}:[0-9]{2} .*\\R", "");
    }

    /** Waits until all ranks have met and the first finds entries. */
    void awaitWalking() {
        TransferCli.until(() -> {
            assertThat(ranks).as("ranks that run").allMatch(Process::isAlive);
            return ranks.getFirst().getInputStream().available() > 0;
        });
    }

    /** Fails unless every rank but one ends by itself, with an error that names the killed one. */
    void expectBroken(int killed, String name) throws Exception {
        for (int rank = 0; rank < ranks.size(); rank++) {
            assertThat(ranks.get(rank).waitFor(2, TimeUnit.MINUTES)).as("rank %d ends", rank).isTrue();
            if (rank != killed) {
                assertThat(ranks.get(rank).exitValue()).isEqualTo(2);
                assertThat(err(rank)).contains(name);
            }
        }
    }

    /** Removes the path of the largest and deepest entry, because several entries are equal and any may come first. */
    static String withoutTies(String summary) {
        return summary.replaceAll("((largest file|deepest) +[0-9]+) .*", "$1");
    }

    /** Fails unless rank 0 printed the output of a walk by one process, and the others nothing. */
    void expectSummary(Path tree) throws Exception {
        String expected = withoutTies(Run.treehaul("walk", tree).expect(0).out());
        for (int rank = 0; rank < ranks.size(); rank++) {
            String out = out(rank);
            assertThat(ranks.get(rank).waitFor()).as("rank %d: %s", rank, err(rank)).isZero();
            assertThat(withoutTies(out)).isEqualTo(rank == 0 ? expected : "");
            assertThat(err(rank)).isEmpty();
        }
        assertThat(resolve("meeting")).doesNotExist();
    }

    Map<String, String> environment(Map<String, String> of) {
        Map<String, String> environment = new TreeMap<>(of);
        environment.remove("MPJ_HOME");
        return environment;
    }

    @Override
    public void close() {
        ranks.forEach(Process::destroyForcibly);
        directory.close();
    }
}
