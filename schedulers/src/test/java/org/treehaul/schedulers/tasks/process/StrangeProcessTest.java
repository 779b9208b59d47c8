// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.Hub;
import org.treehaul.schedulers.tasks.post.Letter;
import org.treehaul.schedulers.tasks.post.Member;
import org.treehaul.schedulers.tasks.post.TaskPlace;

/** The creator of a group with a process that does not keep to the protocol. */
class StrangeProcessTest {

    private static final Duration LONG = Duration.ofDays(1);

    @TempDir
    private Path directory;

    /** Acts as the process after the proof. */
    private interface Behaviour {
        void act(DataInputStream in, DataOutputStream out) throws Exception;
    }

    /** A process that sleeps, and a thread that speaks in its place. */
    private static final class Strange implements Launcher {
        private final Behaviour behaviour;
        private final String secret;
        private final CompletableFuture<Process> started = new CompletableFuture<>();

        Strange(Behaviour behaviour, String secret) {
            this.behaviour = behaviour;
            this.secret = secret;
        }

        @Override
        public boolean isHere() {
            return true;
        }

        @Override
        public Process start(String host, ProcessBuilder command) throws IOException {
            List<String> words = command.command();
            GroupFile group = GroupFile.read(Path.of(words.get(words.size() - 2)));
            Thread.ofVirtual().start(() -> {
                try (Socket socket = new Socket(group.addresses().getFirst(), group.port())) {
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                    if (!secret.isEmpty()) {
                        Proof.asProcess(in, out, secret, 0);
                    } else {
                        Proof.asProcess(in, out, group.secret(), 0);
                    }
                    behaviour.act(in, out);
                    in.readAllBytes();
                } catch (Exception e) {
                    // The creator shows what it thinks of this process.
                }
            });
            Process process = new ProcessBuilder("sleep", "100000").start();
            started.complete(process);
            return process;
        }
    }

    private static void write(DataOutputStream out, Frame frame) throws IOException {
        byte[] bytes = FrameFormat.bytes(frame);
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    private GroupOptions options(Launcher launcher, Duration arrival) {
        return GroupOptions.defaults()
                .placement(GroupOptions.Placement.HOSTS)
                .launcher(launcher, directory)
                .times(arrival, LONG, Duration.ofMillis(10));
    }

    /** Returns the state of the task of a process that begins properly and then misbehaves. */
    private String stateAfter(Behaviour behaviour) throws Exception {
        Strange strange = new Strange((in, out) -> {
            write(out, new Frame.Ready(""));
            behaviour.act(in, out);
        }, "");
        List<TaskPlace> places = List.of(new TaskPlace(0, 0, SegmentedFile.inParts(1, 1).segments().getFirst()));
        Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1000, task -> {
        });
        TaskProcesses processes = TaskProcesses.open(hub, new GroupProgram("id", 1, "any", new TreeMap<>()),
                List.of(places), options(strange, LONG));
        processes.start();
        try {
            assertThat(hub.await(LONG)).isTrue();
            // The process is of no use.
            strange.started.join().waitFor();
            return hub.query().getFirst().toString();
        } finally {
            processes.end();
        }
    }

    @Test
    void malformedAndUnexpectedFramesEndTheProcess() throws Exception {
        assertThat(stateAfter((in, out) -> out.writeInt(-1)))
                .isEqualTo("task 0 is lost: its process sent a malformed frame of -1 bytes");
        assertThat(stateAfter((in, out) -> out.writeInt(Integer.MAX_VALUE)))
                .isEqualTo("task 0 is lost: its process sent a malformed frame of 2147483647 bytes");
        assertThat(stateAfter((in, out) -> out.write(new byte[]{0, 0, 0, 2, 'z', 1})))
                .isEqualTo("task 0 is lost: its process sent a malformed frame of 2 bytes, kind 122");
        assertThat(stateAfter((in, out) -> write(out, new Frame.Go())))
                .isEqualTo("task 0 is lost: its process sent an unexpected frame: Go");
        assertThat(stateAfter((in, out) -> write(out, new Frame.Send(1, 1, -1, false, new byte[1]))))
                .isEqualTo("task 0 is lost: its process sent a frame of task 1, which it does not run");
        assertThat(stateAfter((in, out) -> write(out, new Frame.Send(1, 0, 7, false, new byte[1]))))
                .isEqualTo("task 0 is lost: its process sent a frame for member 7 of 1");
        assertThat(stateAfter((in, out) -> write(out, new Frame.Kill(-1))))
                .isEqualTo("task 0 is lost: its process sent a frame for member -1 of 1");
    }

    @Test
    void messagesForAProcessThatDoesNotReadWaitAtTheirSenders() throws Exception {
        int messages = 100;
        CompletableFuture<Boolean> mayRead = new CompletableFuture<>();
        Strange strange = new Strange((in, out) -> {
            write(out, new Frame.Ready(""));
            for (int i = 0; i < messages; i++) {
                write(out, new Frame.Receive(i, 0, GroupMember.CREATOR));
            }
            write(out, new Frame.Cancel(messages - 1));
            write(out, new Frame.Send(messages, 0, GroupMember.CREATOR, false, new byte[1]));
            mayRead.join();
            for (int received = 0; received < messages - 1;) {
                if (FrameFormat.read(in.readNBytes(in.readInt())) instanceof Frame.Received message) {
                    assertThat(message.request()).isEqualTo(received);
                    assertThat(message.content()[0]).isEqualTo((byte) received);
                    received++;
                }
            }
            write(out, new Frame.Ended(0, false, ""));
        }, "");
        List<TaskPlace> places = List.of(new TaskPlace(0, 0, SegmentedFile.inParts(1, 1).segments().getFirst()));
        Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1000, task -> {
        });
        List<Letter> letters = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            byte[] content = new byte[GroupMember.LONGEST_MESSAGE];
            content[0] = (byte) i;
            letters.add(hub.send(GroupMember.CREATOR, 0, content, false));
        }
        TaskProcesses processes = TaskProcesses.open(hub, new GroupProgram("id", 1, "any", new TreeMap<>()),
                List.of(places), options(strange, LONG));
        processes.start();
        try {
            // The creator has handled all requests of the process then.
            new Member(hub, "id", GroupMember.CREATOR, 1).receive(0);
            // Sixteen in the creator, one in the mailbox, and what the sockets hold.
            assertThat(letters.stream().filter(letter -> letter.sent().isDone()).count()).isBetween(16L, 60L);
            mayRead.complete(true);
            assertThat(hub.await(LONG)).isTrue();
            assertThat(hub.query().getFirst()).hasToString("task 0 has returned");
        } finally {
            mayRead.complete(true);
            processes.end();
        }
    }

    @Test
    void aSenderWaitsUntilThereIsRoomForItsMessage() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket other = new Socket(server.getInetAddress(), server.getLocalPort())) {
            Connection connection = new Connection(server.accept());
            connection.start();
            assertThat(connection.hasRoom()).isTrue();
            byte[] content = new byte[GroupMember.LONGEST_MESSAGE];
            for (int i = 0; i < 60; i++) {
                connection.send(new Frame.Send(i, 0, -1, false, content));
            }
            assertThat(connection.hasRoom()).isFalse();
            Thread waiting = Thread.ofPlatform().start(connection::awaitRoom);
            DataInputStream in = new DataInputStream(other.getInputStream());
            for (int i = 0; i < 60;) {
                i += FrameFormat.read(in.readNBytes(in.readInt())) instanceof Frame.Send ? 1 : 0;
            }
            waiting.join();
            for (int i = 0; i < 60; i++) {
                connection.send(new Frame.Send(i, 0, -1, false, content));
            }
            Thread late = Thread.ofPlatform().start(connection::awaitRoom);
            connection.close();
            late.join();
            connection.join();
        }
    }

    @Test
    void aProcessWithoutTheSecretIsNotAdmitted() {
        Strange strange = new Strange((in, out) -> write(out, new Frame.Ready("")), Secret.make());
        List<TaskPlace> places = List.of(new TaskPlace(0, 0, SegmentedFile.inParts(1, 1).segments().getFirst()));
        Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1000, task -> {
        });
        assertThatThrownBy(
                () -> TaskProcesses
                        .open(hub, new GroupProgram("id", 1, "any", new TreeMap<>(Map.of())), List.of(places),
                                options(strange, Duration.ofSeconds(1)))
                        .start())
                .isInstanceOf(TaskGroupException.class)
                .hasMessage("process 0 did not join within 1 s");
        assertThat(directory).isEmptyDirectory();
        assertThat(strange.started.join().isAlive()).isFalse();
    }

    @Test
    void aProcessThatArrivesAfterTheEndIsRefused() throws Exception {
        List<TaskPlace> places = List.of(new TaskPlace(0, 0, SegmentedFile.inParts(1, 1).segments().getFirst()));
        Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1000, task -> {
        });
        ChildSession session = new ChildSession(0, places, new GroupProgram("id", 1, "any", new TreeMap<>()),
                options(Launcher.here(), LONG), hub);
        session.end(Duration.ZERO);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket process = new Socket(server.getInetAddress(), server.getLocalPort())) {
            Connection arrived = new Connection(server.accept());
            Thread serving = Thread.ofVirtual().start(() -> session.serve(arrived));
            assertThat(process.getInputStream().read()).isEqualTo(-1);
            serving.join();
        }
    }

    @Test
    void theSecretIsInAFileThatOnlyTheUserMayRead() throws Exception {
        Path file = directory.resolve("group");
        GroupFile group = new GroupFile(List.of(InetAddress.getLoopbackAddress()), 1234, Secret.make());
        group.write(file);
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100600);
        assertThat(GroupFile.read(file)).isEqualTo(group);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> GroupFile.read(file))
                .hasMessageContaining("is open to others (mode 640), so the creator of the group did not write it");
        assertThatThrownBy(() -> GroupFile.read(directory.resolve("none"))).hasMessageContaining("does not exist");
    }

    @Test
    void endsOfOtherVersionsAndOtherGroupsRefuseEachOther() throws Exception {
        String secret = Secret.make();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> joined = answer(server, secret);
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                Proof.asProcess(new DataInputStream(socket.getInputStream()),
                        new DataOutputStream(socket.getOutputStream()), secret, 7);
            }
            assertThat(joined.join()).isEqualTo(7);

            CompletableFuture<Integer> refused = answer(server, Secret.make());
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                assertThatThrownBy(() -> Proof.asProcess(new DataInputStream(socket.getInputStream()),
                        new DataOutputStream(socket.getOutputStream()), secret, 7))
                        .hasMessage("the creator of another group answered there");
            }
            assertThatThrownBy(refused::join).hasMessageContaining("it does not know the secret");

            CompletableFuture<Integer> older = answer(server, secret);
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeUTF("treehaul-tasks 2");
                out.flush();
                assertThatThrownBy(older::join)
                        .hasMessageContaining("the other end speaks 'treehaul-tasks 2', not 'treehaul-tasks 1'");
            }
        }
    }

    private static CompletableFuture<Integer> answer(ServerSocket server, String secret) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (Socket socket = server.accept()) {
                result.complete(Proof.asCreator(new DataInputStream(socket.getInputStream()),
                        new DataOutputStream(socket.getOutputStream()), secret));
            } catch (IOException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    @Test
    void aMemberHasTheNumbersOfItsGroup() {
        Hub hub = new Hub(List.of(new TaskInfo(0, 0, 0, "", TaskInfo.State.RUNNING, "")), 1000, task -> {
        });
        assertThatThrownBy(() -> new Member(hub, "id", -1, 1).kill(1)).isInstanceOf(IllegalArgumentException.class);
    }
}
