// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Ranks that carry out a transfer and are processes of this host, started by hand. Rank N writes to {@code N.out} and
 * {@code N.err} of the command line. Closing it ends the ranks that still run.
 */
final class TransferRanks implements AutoCloseable {

    private final TransferCli cli;
    private final List<Object> command;
    private final List<Process> ranks = new ArrayList<>();
    private int groups;

    private TransferRanks(TransferCli cli, List<Object> command) {
        this.cli = cli;
        this.command = command;
    }

    /** Returns a group without ranks whose ranks run a command; skips the test if MPJ Express is missing. */
    static TransferRanks of(Object... command) throws Exception {
        RankGroup.requireMpj();
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.keySet().removeIf(name -> name.startsWith("SLURM") || name.equals("MPJ_HOME"));
        return new TransferRanks(TransferCli.make(environment), List.of(command));
    }

    TransferCli cli() {
        return cli;
    }

    /** Starts the next rank of a group of the given size. */
    void start(int size, Object... rest) throws IOException {
        List<Object> arguments = new ArrayList<>(command);
        arguments.addAll(List.of("--ranks", size, "--transport", "mpj", "--meet", cli.resolve("meeting" + groups),
                "--rank", ranks.size()));
        arguments.addAll(List.of(rest));
        ranks.add(cli.start(Integer.toString(ranks.size()), arguments.toArray()));
    }

    void startAll(int size, Object... rest) throws IOException {
        for (int i = 0; i < size; i++) {
            start(size, rest);
        }
    }

    /** Begins another group, which meets at another file. */
    void next() {
        ranks.clear();
        groups++;
    }

    Process rank(int rank) {
        return ranks.get(rank);
    }

    /** Fails unless all ranks run. */
    void expectRunning() {
        assertThat(ranks).as("ranks that run").allMatch(Process::isAlive);
    }

    /** Returns the exit code of each rank, once all have ended. */
    List<Integer> codes() throws InterruptedException {
        List<Integer> codes = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            assertThat(ranks.get(i).waitFor(2, TimeUnit.MINUTES)).as("rank %d ends", i).isTrue();
            codes.add(ranks.get(i).exitValue());
        }
        return codes;
    }

    /** Fails unless all ranks end with this code. */
    void expect(int code) throws Exception {
        expect(code, -1);
    }

    /** Fails unless all ranks, except the killed one, end by themselves with this code. */
    void expect(int code, int killed) throws Exception {
        List<Integer> codes = codes();
        for (int i = 0; i < codes.size(); i++) {
            if (i != killed) {
                assertThat(codes.get(i)).as("rank %d: %s", i, cli.read(i + ".err")).isEqualTo(code);
            }
        }
    }

    @Override
    public void close() throws IOException {
        ranks.forEach(Process::destroyForcibly);
        cli.close();
    }
}
