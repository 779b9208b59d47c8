// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** A tree, the programs that copy it by a pool, each in a process of its own, and the checks of the copy. */
public final class PoolNodes implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(15);

    public final TestDirectory directory = TestDirectory.onTmpfs(500_000_000, 100_000);
    private final Path state;
    private final List<Process> workers = new ArrayList<>();

    public PoolNodes() {
        this.state = directory.resolve("state");
    }

    public PoolNodes(Path state) {
        this.state = state;
    }

    /** Makes a tree of files of random bytes, with a hard link and a symbolic link. */
    public Path tree(int files, int bytes) throws IOException {
        Path tree = directory.directory("source");
        Random random = new Random(files);
        for (int i = 0; i < files; i++) {
            byte[] content = new byte[bytes];
            random.nextBytes(content);
            Files.write(Files.createDirectories(tree.resolve("d" + i / 100)).resolve("f" + i), content);
        }
        Files.createSymbolicLink(tree.resolve("symlink"), Path.of("d0/f0"));
        Files.createLink(tree.resolve("hardlink"), tree.resolve("d0/f0"));
        return tree;
    }

    /** Runs a command of treehaul with the state directory. */
    public Run treehaul(String command, Object... arguments) throws Exception {
        return Run.treehaul(words(command, arguments));
    }

    private Object[] words(String command, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of(command, "--state-dir", state));
        words.addAll(List.of(arguments));
        return words.toArray();
    }

    /** Gives a copy to a pool, and returns its id. */
    public String submit(String space, Path source, Path target, Object... options) throws Exception {
        return treehaul("cp", copy(space, source, target, options)).expect(0).out().strip();
    }

    /** Gives a copy to a pool by another jar, and returns its id. */
    String submitBy(Path jar, String space, Path source, Path target, Object... options) throws Exception {
        Object[] words = words("cp", copy(space, source, target, options));
        return Run.of(Run.commandOfOtherJar(jar, words).toArray()).expect(0).out().strip();
    }

    private static Object[] copy(String space, Path source, Path target, Object... options) {
        List<Object> words = new ArrayList<>(List.of("-aT", "--scheduler", "pool", "--space", space));
        words.addAll(List.of(options));
        words.addAll(List.of(source, target));
        return words.toArray();
    }

    /**
     * Starts a worker.
     *
     * @param on the words before its command
     */
    public Process worker(List<String> on, String space) throws IOException {
        return start(Run.command(on, Run.JAR, worker(space)));
    }

    /** Starts a worker of another jar. */
    Process workerOf(Path jar, String space) throws IOException {
        return start(Run.commandOfOtherJar(jar, worker(space)));
    }

    private Object[] worker(String space) {
        return words("worker", "--threads", 1, "--pool", space);
    }

    private Process start(List<String> command) throws IOException {
        Process worker = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log(workers.size()).toFile())
                .start();
        workers.add(worker);
        return worker;
    }

    private Path log(int worker) {
        return directory.resolve("worker" + worker);
    }

    /** Returns what a worker has printed. */
    public String said(int worker) {
        try {
            return Files.readString(log(worker), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns what all workers have printed. */
    public String said() {
        StringBuilder said = new StringBuilder();
        for (int i = 0; i < workers.size(); i++) {
            said.append("worker ").append(i).append(":\n").append(said(i));
        }
        return said.toString();
    }

    /** Waits for long until a condition holds. */
    public static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(100));
    }

    /** Waits until a worker has printed a text. */
    public void awaitSaid(int worker, String text) {
        await(text).until(() -> said(worker).contains(text));
    }

    public Path transfer(String id) {
        return state.resolve("transfers").resolve(id);
    }

    private boolean hasEnded(String id) {
        Path generations = transfer(id).resolve("generations");
        int newest = 1;
        while (Files.exists(generations.resolve(String.valueOf(newest + 1)))) {
            newest++;
        }
        return Files.exists(generations.resolve(newest + ".end"));
    }

    /** Waits until a transfer is complete. */
    public void awaitComplete(String id) {
        try {
            await("the transfer").until(() -> hasEnded(id));
            assertThat(treehaul("status", id).expect(0).out()).contains("complete; 100%");
        } catch (Throwable e) {
            throw new AssertionError(said(), e);
        }
    }

    /** Ends a worker as an administrator does. */
    public void end(int worker) throws Exception {
        signal("TERM", worker);
        assertThat(workers.get(worker).waitFor()).as(said(worker)).isZero();
    }

    void signal(String name, int worker) {
        Programs.run("kill", "-" + name, workers.get(worker).pid());
    }

    void kill(int worker) throws InterruptedException {
        workers.get(worker).destroyForcibly().waitFor();
    }

    /** Fails unless two other programs find the copy equal to the source. */
    public void assertCopied(Path source, Path target) throws IOException {
        assertThat(Programs.run("diff", "-r", "--no-dereference", source, target)).isEmpty();
        Programs.require("rsync", "rsync");
        assertThat(Programs.run("rsync", "-aHAXnic", "--delete", source + "/", target + "/")).isEmpty();
        try (var all = Files.walk(target.getParent())) {
            assertThat(all).noneMatch(path -> String.valueOf(path.getFileName()).startsWith(".treehaul-"));
        }
    }

    /** Returns the number of attempts at batches that each host has begun. */
    Map<String, Integer> hosts(String id) {
        Map<String, Integer> hosts = new HashMap<>();
        Attempt.all(transfer(id)).forEach(attempt -> hosts.merge(attempt.host(), 1, Integer::sum));
        return hosts;
    }

    @Override
    public void close() {
        for (Process worker : workers) {
            worker.destroyForcibly();
        }
        for (Process worker : workers) {
            worker.onExit().join();
        }
        directory.close();
    }
}
