// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.common.net.HostAddresses;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.schedulers.common.net.UnverifiedConnections;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.post.Hub;
import org.treehaul.schedulers.tasks.post.TaskPlace;

/** The processes of a group at its creator. Safe for any number of threads. */
public final class TaskProcesses {

    private static final Duration LONGEST_PROOF = Duration.ofSeconds(5);
    // While no descriptor is free, each attempt fails at once.
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final GroupOptions options;
    private final String secret = Secret.make();
    private final ServerSocket server;
    private final Path directory;
    private final UnverifiedConnections unverified = new UnverifiedConnections();
    private final List<ChildSession> children = new ArrayList<>();
    private @Nullable Thread acceptor;

    private TaskProcesses(GroupOptions options, ServerSocket server, Path directory) {
        this.options = options;
        this.server = server;
        this.directory = directory;
    }

    /**
     * Opens the port at which processes find this one. {@link #end} closes it.
     *
     * @param processes the tasks of each process, at least one
     * @throws TaskGroupException if processes could not find this one
     */
    public static TaskProcesses open(Hub hub, GroupProgram program, List<List<TaskPlace>> processes,
            GroupOptions options) throws TaskGroupException {
        Path parent = options.directory().orElse(Path.of(System.getProperty("java.io.tmpdir")));
        TaskProcesses all = null;
        try {
            all = new TaskProcesses(options, new ServerSocket(),
                    PrivateFiles.makeTemporaryDirectory(parent.toAbsolutePath(), "treehaul-tasks-"));
            all.listen();
            for (List<TaskPlace> places : processes) {
                all.children.add(new ChildSession(all.children.size(), places, program, options, hub));
            }
            return all;
        } catch (IOException e) {
            if (all != null) {
                closeQuietly(all.server);
                all.removeFile();
            }
            throw new TaskGroupException("processes cannot find this one through " + parent + ": "
                    + PrivateFiles.describe(e) + "; name another directory, which only you can write to", e);
        }
    }

    private void listen() throws IOException {
        boolean isHere = options.launcher().isHere();
        InetAddress here = InetAddress.getLoopbackAddress();
        server.bind(isHere ? new InetSocketAddress(here, 0) : new InetSocketAddress(0), 1024);
        new GroupFile(isHere ? List.of(here) : HostAddresses.here(), server.getLocalPort(), secret).write(file());
    }

    /**
     * Starts the processes, and waits until all of their tasks can begin.
     *
     * @throws TaskGroupException if a process cannot be started, does not join in time, or cannot run its tasks; all
     *         processes have been ended
     */
    public void start() throws TaskGroupException, InterruptedException {
        try {
            launch();
            awaitReady();
            stopAccepting();
            children.forEach(child -> child.send(new Frame.Go()));
        } catch (TaskGroupException | InterruptedException | RuntimeException e) {
            end(Duration.ZERO);
            throw e;
        }
    }

    private Path file() {
        return directory.resolve("group");
    }

    private void launch() throws TaskGroupException {
        Thread accepting = Thread.ofPlatform().name("treehaul-tasks-accept").daemon(true).start(this::accept);
        synchronized (this) {
            acceptor = accepting;
        }
        for (int number = 0; number < children.size(); number++) {
            List<String> words = new ArrayList<>(options.javaWords());
            words.addAll(List.of("-cp", options.classPath(), TaskProcess.class.getName(), file().toString(),
                    Integer.toString(number)));
            ProcessBuilder command = new ProcessBuilder(words).redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile());
            int process = number;
            command.redirectOutput(options.outputs()
                    .map(outputs -> ProcessBuilder.Redirect.to(outputs.resolve("process-" + process + ".log").toFile()))
                    .orElse(ProcessBuilder.Redirect.INHERIT));
            children.get(number).launch(command);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                try {
                    unverified.awaitPlace(server);
                    Socket socket = server.accept();
                    unverified.add(socket);
                    Thread.ofPlatform().name("treehaul-tasks-reader").daemon(true).start(() -> serve(socket));
                } catch (IOException e) {
                    // The server was closed, the connection ended at once, or no descriptor is free.
                    if (!server.isClosed()) {
                        Thread.sleep(PAUSE);
                    }
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        Connection connection;
        int number;
        try {
            connection = new Connection(socket);
            connection.setPatience(LONGEST_PROOF);
            number = Proof.asCreator(connection.in(), connection.out(), secret);
        } catch (IOException e) {
            closeQuietly(socket);
            return;
        } finally {
            unverified.remove(socket);
        }
        if (number >= 0 && number < children.size()) {
            children.get(number).serve(connection);
        } else {
            connection.close();
        }
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            // It is not used any more.
        }
    }

    private void awaitReady() throws TaskGroupException, InterruptedException {
        long end = System.nanoTime() + options.arrival().toNanos();
        for (ChildSession child : children) {
            try {
                child.ready().get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw child.late();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TaskGroupException failure) {
                    throw failure;
                }
                throw new IllegalStateException(e);
            }
        }
    }

    // All processes have joined, so no other connection is accepted.
    private void stopAccepting() throws InterruptedException {
        closeQuietly(server);
        unverified.close();
        Thread accepting;
        synchronized (this) {
            accepting = acceptor;
        }
        if (accepting != null) {
            accepting.join();
        }
        removeFile();
    }

    private void removeFile() {
        try {
            Files.deleteIfExists(file());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            // The group accepts no process any more, so its secret is of no use.
        }
    }

    /** Interrupts the thread of a task that the hub has killed. */
    public void kill(int task) {
        children.stream().filter(child -> child.has(task)).forEach(child -> child.kill(task));
    }

    /** Ends all processes, at the latest after the grace, and all threads that serve them. */
    public void end() throws InterruptedException {
        end(options.grace());
    }

    private void end(Duration grace) throws InterruptedException {
        children.forEach(child -> child.send(new Frame.Free()));
        long end = System.nanoTime() + grace.toNanos();
        boolean isInterrupted = false;
        for (ChildSession child : children) {
            try {
                child.end(isInterrupted ? Duration.ZERO : Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        stopAccepting();
        if (isInterrupted) {
            throw new InterruptedException();
        }
    }
}
