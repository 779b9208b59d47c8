// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.TaskMember;
import org.treehaul.schedulers.tasks.post.TaskPlace;
import org.treehaul.schedulers.tasks.post.TaskThreads;

/** A process that runs tasks of a group: as long as the group exists, or until its creator is gone. */
public final class TaskProcess {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration FLUSH = Duration.ofSeconds(2);

    private final Connection connection;
    private final RemotePost post;

    private TaskProcess(Connection connection) {
        this.connection = connection;
        this.post = new RemotePost(connection);
    }

    /**
     * Runs the process.
     *
     * @param args the file with the address of the creator, and the number of this process
     * @throws IOException if the creator cannot be reached, or is another one
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        try (Connection connection = connect(GroupFile.read(Path.of(args[0])), Integer.parseInt(args[1]))) {
            connection.start();
            new TaskProcess(connection).run();
        }
    }

    private static Connection connect(GroupFile group, int number) throws IOException {
        IOException failure = new IOException("the creator of the group cannot be reached");
        for (InetAddress address : group.addresses()) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, group.port()), Math.toIntExact(CONNECT.toMillis()));
                Connection connection = new Connection(socket);
                connection.setPatience(CONNECT);
                Proof.asProcess(connection.in(), connection.out(), group.secret(), number);
                return connection;
            } catch (IOException e) {
                socket.close();
                failure.addSuppressed(new IOException(address.getHostAddress() + ": " + e.getMessage(), e));
            }
        }
        throw failure;
    }

    private Frame next() throws IOException {
        Frame frame = connection.read();
        while (frame instanceof Frame.Beat) {
            frame = connection.read();
        }
        return frame;
    }

    private void run() throws IOException, InterruptedException {
        if (!(next() instanceof Frame.Start start)) {
            throw new IOException("the creator of the group did not begin with its tasks");
        }
        connection.setPatience(Duration.ofMillis(start.silenceMillis()));
        List<TaskPlace> places = new ArrayList<>();
        while (places.size() < start.here()) {
            if (!(next() instanceof Frame.Task task)) {
                throw new IOException("the creator of the group did not name its tasks");
            }
            places.add(task.place());
        }
        TaskThreads threads = new TaskThreads(start.hasVirtualThreads());
        connection.send(new Frame.Ready(prepare(start, places, threads)));
        String reason = "the creator of the group is gone";
        try {
            while (handle(next(), threads)) {
                // Answers and kills arrive.
            }
            reason = "the group was freed";
        } catch (EOFException e) {
            // The tasks end with their creator.
        } finally {
            post.fail(reason);
            threads.killAll();
            // Threads that do not end within this time end with the process.
            threads.join(Duration.ofMillis(start.graceMillis()));
            connection.flush(FLUSH);
        }
    }

    // Returns why the tasks cannot run; empty if they can.
    private String prepare(Frame.Start start, List<TaskPlace> places, TaskThreads threads) {
        try {
            List<GroupTask> programs = TaskPrograms.create(start.program(), start.parameters(), places.size());
            for (int i = 0; i < places.size(); i++) {
                threads.add(new TaskMember(post, start.group(), places.get(i), start.tasks()), programs.get(i),
                        this::ended);
            }
            return "";
        } catch (TaskGroupException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void ended(int task, TaskInfo.State state, String detail) {
        connection.send(new Frame.Ended(task, state == TaskInfo.State.FAILED, detail));
    }

    // Returns whether the group continues.
    private boolean handle(Frame frame, TaskThreads threads) throws IOException {
        if (post.answer(frame)) {
            return true;
        }
        switch (frame) {
            case Frame.Go go -> threads.start();
            case Frame.Kill kill -> threads.kill(kill.task());
            case Frame.Free free -> {
                return false;
            }
            default -> throw new IOException("an unexpected frame: " + frame.getClass().getSimpleName());
        }
        return true;
    }
}
