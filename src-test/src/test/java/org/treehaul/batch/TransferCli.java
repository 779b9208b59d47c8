// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.e2e.WarmProgram;
import org.treehaul.packaged.Installation;
import org.treehaul.packaged.Run;

/**
 * Copies by jobs as a user does: the packaged program with a separate state directory, home and working directory, in
 * memory unless a test requests a disk. Closing it ends local jobs that still run.
 */
final class TransferCli implements AutoCloseable {
    /** The format of an id alone on its line. */
    static final Pattern ID = Pattern.compile("[0-9]{8}-[0-9]{6}-[a-z0-9]{4}\n");

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern LOCAL_JOB = Pattern.compile("([0-9]+):[0-9]+@");

    private final TestDirectory directory;
    private final Map<String, String> environment;
    private final List<String> by;
    private final Optional<Path> installed;

    private TransferCli(TestDirectory directory, Map<String, String> environment, List<String> by,
            Optional<Path> installed) throws IOException {
        this.directory = directory;
        this.environment = new TreeMap<>(environment);
        this.by = by;
        this.installed = installed;
        this.environment.keySet().removeIf(name -> name.startsWith("TREEHAUL_") || name.startsWith("XDG_"));
        this.environment.put("HOME", directory.directory("home").toString());
        this.environment.put("TREEHAUL_HOME", state().toString());
        this.environment.put("TREEHAUL_SITE_CONFIG", directory.resolve("no-site").toString());
        this.environment.put("LC_ALL", "C.UTF-8");
        if (!by.isEmpty()) {
            for (Path path : List.of(directory.path(), directory.resolve("home"))) {
                Files.setAttribute(path, "unix:mode", 01777);
            }
        }
    }

    /**
     * Returns a rig that runs as the user of the tests, from an installation if this Java can make one: its jobs start
     * in half the processor time.
     */
    static TransferCli make() throws IOException {
        return new TransferCli(TestDirectory.onTmpfs(), System.getenv(), List.of(), Installation.script());
    }

    /** Returns a rig that runs in this environment, as the user of the tests. */
    static TransferCli make(Map<String, String> environment) throws IOException {
        return new TransferCli(TestDirectory.onTmpfs(), environment, List.of(), Optional.empty());
    }

    /** Returns a rig with the destination on a disk, for which each batch and the finishing must wait. */
    static TransferCli onDisk() throws IOException {
        return new TransferCli(TestDirectory.make(), System.getenv(), List.of(), Optional.empty());
    }

    /** Returns a rig that runs as an ordinary user, from an installation if this Java can make one. */
    static TransferCli ofOrdinaryUser() throws IOException {
        return ofOrdinaryUser(System.getenv(), Installation.script());
    }

    /** Returns a rig that runs as an ordinary user, in this environment. */
    static TransferCli ofOrdinaryUser(Map<String, String> environment) throws IOException {
        return ofOrdinaryUser(environment, Optional.empty());
    }

    private static TransferCli ofOrdinaryUser(Map<String, String> environment, Optional<Path> installed)
            throws IOException {
        Privilege.requireRoot("to run as another user");
        String user = Integer.toString(TransferRig.USER);
        return new TransferCli(TestDirectory.onTmpfs(), environment,
                List.of("/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--inh-caps=-all"),
                installed);
    }

    Path path() {
        return directory.path();
    }

    Path resolve(String name) {
        return directory.resolve(name);
    }

    Path state() {
        return directory.resolve("state");
    }

    /** Sets a variable of the environment. */
    TransferCli with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Makes a tree of small files, with a hard link and a symbolic link, and returns it. */
    Path tree(String name, int files, int bytes) throws IOException {
        Path tree = directory.directory(name);
        for (int i = 0; i < files; i++) {
            Path below = Files.createDirectories(tree.resolve("d" + i / 50));
            byte[] content = new byte[bytes];
            for (int j = 0; j < bytes; j++) {
                content[j] = (byte) (i * 31 + j);
            }
            Files.write(below.resolve("f" + i), content);
        }
        Files.createSymbolicLink(tree.resolve("symlink"), Path.of("d0/f0"));
        if (files > 0) {
            Files.createLink(tree.resolve("hardlink"), tree.resolve("d0/f0"));
        }
        if (!by.isEmpty()) {
            for (Path path : files(tree, path -> true)) {
                Files.setAttribute(path, "unix:uid", TransferRig.USER, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:gid", TransferRig.USER, LinkOption.NOFOLLOW_LINKS);
            }
        }
        return tree;
    }

    /** Runs treehaul, in a process of its own only if it is not an installation that runs as the user of the tests. */
    Run run(Object... arguments) throws IOException, InterruptedException {
        return installed.isPresent() && by.isEmpty()
                ? WarmProgram.installed(environment, Stream.of(arguments).map(Object::toString).toList())
                : Run.of(environment, command(arguments).toArray());
    }

    /** Runs a shell script; {@code $T} is treehaul. The script may contain any bytes. */
    Run sh(String script) throws IOException, InterruptedException {
        return sh(script, String.join(" ", command()));
    }

    /** Runs a shell script in which {@code $T} is treehaul as {@link #run} calls it, one at a time. */
    Run warmly(String script) throws IOException, InterruptedException {
        return sh(script, warm());
    }

    /** Returns the command that runs treehaul as {@link #run} does, for a script; one at a time. */
    String warm() throws IOException {
        return installed.isPresent() && by.isEmpty()
                ? WarmProgram.installedScript().toString()
                : String.join(" ", command());
    }

    private Run sh(String script, String treehaul) throws IOException, InterruptedException {
        Path file = directory.resolve("script");
        Files.writeString(file, script, StandardCharsets.ISO_8859_1);
        Map<String, String> with = new TreeMap<>(environment);
        with.put("T", treehaul);
        return Run.of(with, "sh", "-c", "cd \"$1\" && . ./script", "sh", path());
    }

    private List<String> command(Object... arguments) {
        List<String> command = new ArrayList<>(by);
        command.addAll(installed
                .map(script -> Stream.concat(Stream.of(script), Stream.of(arguments)).map(Object::toString).toList())
                .orElseGet(() -> Run.command(List.of(), Run.JAR, arguments)));
        return command;
    }

    /** Starts treehaul; its output goes into {@code NAME.out} and {@code NAME.err}. */
    Process start(String name, Object... arguments) throws IOException {
        return startBy(List.of(), name, arguments);
    }

    /** Starts treehaul through another command that takes it as arguments. */
    Process startBy(List<String> other, String name, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(other);
        command.addAll(command(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(path().toFile())
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(resolve(name + ".out").toFile())
                .redirectError(resolve(name + ".err").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }

    String read(String name) throws IOException {
        return Files.readString(resolve(name), StandardCharsets.ISO_8859_1);
    }

    /** Begins a copy without waiting for it, and returns the id of the transfer. */
    String submit(Object... arguments) throws IOException, InterruptedException {
        String out = run(arguments).expect(0).out();
        assertThat(out).as("the id, alone").matches(ID);
        return out.strip();
    }

    /** Waits for the end of a transfer and returns its state as JSON. */
    String awaitEnd(String id) throws IOException, InterruptedException {
        run("status", "--watch", "--progress-interval", 1, id).expect(0);
        return run("status", "--json", id).expect(0).out();
    }

    /**
     * Waits until no process of a transfer's jobs is left: if the last worker finished the transfer, the finishing job
     * still begins, only to detect that.
     */
    void awaitNoProcess(String id) {
        Path directory = of(id, "");
        until(() -> ProcessHandle.allProcesses().noneMatch(process -> {
            try {
                return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd")).startsWith(directory);
            } catch (IOException e) {
                // The process has ended or is just ending.
                return false;
            }
        }));
    }

    /** Waits until a condition holds; a condition on the content of a missing file does not hold. */
    static void until(Callable<Boolean> isSo) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .ignoreException(NoSuchFileException.class)
                .until(isSo);
    }

    /** Waits until a file exists. */
    void awaitFile(Path file) {
        until(() -> Files.exists(file));
    }

    /** Waits until the copy contains a file. */
    static void awaitBegun(Path copy) {
        until(() -> !files(copy, path -> Files.isRegularFile(path)).isEmpty());
    }

    /** Returns all files below a directory that satisfy a condition; empty if there is not a directory. */
    static List<Path> files(Path directory, Predicate<Path> isWanted) {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(isWanted).toList();
        } catch (IOException | UncheckedIOException e) {
            // The file is gone or is just being removed.
            return List.of();
        }
    }

    /** Returns the path of a file of a transfer. */
    Path of(String id, String name) {
        return state().resolve("transfers").resolve(id).resolve(name);
    }

    /** Returns all workers of a transfer on this machine, however they were started, without their scripts. */
    List<ProcessHandle> workers(String id) {
        Path directory = of(id, "");
        return ProcessHandle.allProcesses().filter(process -> {
            try {
                return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd")).equals(directory)
                        && Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                                .contains("org.treehaul.cli.Main\0worker\0");
            } catch (IOException e) {
                // The process has ended or is just ending.
                return false;
            }
        }).toList();
    }

    /** Kills one of the ranks that execute a transfer. */
    void killRank(String id, int rank) {
        workers(id).stream().filter(worker -> isRank(worker, rank)).forEach(ProcessHandle::destroyForcibly);
    }

    private static boolean isRank(ProcessHandle worker, int rank) {
        try {
            return Files.readString(Path.of("/proc/" + worker.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .contains("\0--rank\0" + rank + "\0");
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends a signal to the workers of a transfer. */
    void signal(String name, String id) throws IOException, InterruptedException {
        for (ProcessHandle worker : workers(id)) {
            Run.of("kill", "-" + name, worker.pid());
        }
    }

    /** Cancels a transfer whose workers are stopped; they receive the signal when they continue. */
    void cancelStopped(String id) throws IOException, InterruptedException {
        Process cancelling = start("cancel", "cancel", id);
        awaitFile(of(id, "generations/2"));
        signal("CONT", id);
        assertThat(cancelling.waitFor()).as(read("cancel.err")).isZero();
        assertThat(read("cancel.err")).contains(id + " is cancelled");
    }

    /** Kills all workers of a transfer, and later ones, until its finishing job has recorded what is left. */
    void killWorkers(String id) {
        until(() -> {
            workers(id).forEach(ProcessHandle::destroyForcibly);
            return Files.exists(of(id, "finish/result")) || Files.exists(of(id, "generations/1.end"));
        });
    }

    /** Kills one worker that has begun a batch. */
    void killOneWorker(String id) {
        Path journals = of(id, "attempts");
        until(() -> workers(id).stream()
                .filter(worker -> files(Path.of("/proc/" + worker.pid() + "/fd"), fd -> isBelow(fd, journals))
                        .size() > 0)
                .findFirst()
                .map(ProcessHandle::destroyForcibly)
                .orElse(false));
    }

    private static boolean isBelow(Path link, Path directory) {
        try {
            return Files.readSymbolicLink(link).startsWith(directory);
        } catch (IOException e) {
            return false;
        }
    }

    /** Sets the heartbeat and takeover times of a transfer's workers before they begin. */
    void timing(String id, long heartbeatMillis, long takeoverMillis) throws IOException {
        Path file = of(id, "transfer");
        String text = Files.readString(file, StandardCharsets.ISO_8859_1)
                .replaceFirst("(?m)^heartbeat-ms\t.*$", "heartbeat-ms\t" + heartbeatMillis)
                .replaceFirst("(?m)^takeover-ms\t.*$", "takeover-ms\t" + takeoverMillis)
                .replaceFirst("crc32c\t.*\n$", "");
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        Path fresh = Files.writeString(of(id, "fresh"), text + "crc32c\t%08x\n".formatted(crc.getValue()),
                StandardCharsets.ISO_8859_1);
        Files.setAttribute(fresh, "unix:uid", Files.getAttribute(file, "unix:uid"));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static List<ProcessHandle> jobs(Path submission) throws IOException {
        return LOCAL_JOB.matcher(Files.readString(submission, StandardCharsets.ISO_8859_1))
                .results()
                .flatMap(job -> ProcessHandle.of(Long.parseLong(job.group(1))).stream())
                .toList();
    }

    /** Fails unless the copy is complete and its parent directory contains no leftovers. */
    void expectCopy(Path source, Path copy) {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), copy)).isCopyOf(TreeListing.of(Linux.calls(), source));
        assertThat(files(path(), file -> String.valueOf(file.getFileName()).startsWith(".treehaul-"))).isEmpty();
    }

    @Override
    public void close() throws IOException {
        try {
            for (Path submission : files(state(), file -> file.toString().contains("/jobs/"))) {
                for (ProcessHandle job : jobs(submission)) {
                    // The job has its own session, so all its processes belong to it.
                    if (job.info().commandLine().filter(line -> line.contains("launch/")).isPresent()) {
                        job.descendants().forEach(ProcessHandle::destroyForcibly);
                        job.destroyForcibly();
                    }
                }
            }
        } finally {
            directory.close();
        }
    }
}
