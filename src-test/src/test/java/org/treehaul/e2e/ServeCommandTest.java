// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;

/** The command {@code serve}: its messages, and a server that is stopped, killed and started again. */
class ServeCommandTest {

    private static final SegmentKey KEY = new SegmentKey(new UUID(1, 2), 1, 0);

    @TempDir
    Path place;
    private Cli cli;
    private Path secret;
    private final List<Process> started = new ArrayList<>();

    @BeforeEach
    void makeSecret() throws IOException {
        cli = new Cli(place);
        secret = Files.createFile(place.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process serve(String listen) throws IOException {
        Process process = cli.start("serve", "--directory", "segments", "--secret-file", "secret", "--listen", listen);
        started.add(process);
        return process;
    }

    // Waits until the server can be reached, and returns its address.
    private String address(Process process) throws IOException {
        String line = process.inputReader().readLine();
        assertThat(line).isNotNull().startsWith("serving " + place.toRealPath().resolve("segments") + " at 127.0.0.1:");
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    private static byte[] read(Segments from) throws StageException {
        MemorySegment into = Arena.ofAuto().allocate(5);
        from.read(KEY, List.of(new SegmentPart(0, into)));
        return into.toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void aServerThatIsKilledIsNamedAndGoesOnWhenItIsStartedAgain() throws Exception {
        Process first = serve("127.0.0.1:0");
        String address = address(first);
        byte[] bytes = {1, 2, 3, 4, 5};
        try (SegmentClients clients = new SegmentClients(RunSecret.read(ByteString.of(secret)), false)) {
            StageServer server = clients.find("run", "n1", address);
            assertThat(server.directory()).isEqualTo(ByteString.of(place.toRealPath().resolve("segments")));
            try (Segments segments = clients.open(server)) {
                segments.create(KEY);
                MemorySegment from = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
                segments.write(KEY, List.of(new SegmentPart(0, from)));
                segments.sync(KEY);
                first.destroyForcibly().waitFor();
                assertThatThrownBy(() -> read(segments)).isInstanceOf(StageException.class)
                        .hasMessageContaining("n1 (" + address + ")");
                Process second = serve(address);
                assertThat(address(second)).isEqualTo(address);
                assertThat(read(segments)).isEqualTo(bytes);
                Cli.signal(second, "TERM");
                assertThat(second.waitFor()).isZero();
                assertThat(second.errorReader().lines()).isEmpty();
            }
        }
    }

    @Test
    void aServerThatIsStoppedIsNotWaitedForWithoutEnd() throws Exception {
        Process process = serve("127.0.0.1:0");
        String address = address(process);
        RunSecret known = RunSecret.read(ByteString.of(secret));
        Cli.signal(process, "STOP");
        try (SegmentClients clients = new SegmentClients(known, false, Duration.ofSeconds(2))) {
            assertThatThrownBy(() -> clients.find("run", "n1", address)).isInstanceOf(StageException.class)
                    .hasMessage("n1 (" + address + "): connect: it has been silent for 2 s: the process is stopped, or "
                            + "its host or network is down");
        }
        Cli.signal(process, "CONT");
        try (SegmentClients clients = new SegmentClients(known, false)) {
            assertThat(clients.find("run", "n1", address).name()).isEqualTo("n1");
        }
    }

    private Process serve(String directory, String listen) throws IOException {
        Process process = cli.start("serve", "--directory", directory, "--secret-file", "secret", "--listen", listen);
        started.add(process);
        return process;
    }

    // Without the directory at its path, only the server reaches it, as from another node.
    private String farAddress(Process process, String directory) throws IOException {
        String line = process.inputReader().readLine();
        assertThat(line).startsWith("serving ");
        Files.move(place.resolve(directory), place.resolve(directory + ".moved"));
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    @Test
    void aTreeIsStagedOnServersAndBack() throws Exception {
        Process one = serve("one", "127.0.0.1:0");
        Process two = serve("two", "127.0.0.1:0");
        String first = farAddress(one, "one");
        String second = farAddress(two, "two");
        Path tree = Files.createDirectories(place.resolve("tree/sub"));
        for (int i = 0; i < 5; i++) {
            byte[] bytes = new byte[30_000 * i];
            new Random(i).nextBytes(bytes);
            Files.write(tree.resolve("file" + i), bytes);
        }
        String options = " --space space --secret-file secret ";
        cli.warmly(
                "treehaul stage in" + options + "--stripe 4K --add-servers " + first + "," + second + " tree job:tree")
                .expect(0);
        assertThat(cli.warmly("treehaul stage ls -l" + options + "job:tree").expect(0).out()).contains("on s1,s2");
        cli.warmly("treehaul stage verify" + options + "job: && treehaul stage out" + options
                + "job:tree back && diff -r tree back && treehaul stage check" + options + "job:").expect(0);
        assertThat(cli.warmly("treehaul stage out --space space job:tree again").expect(23).err())
                .contains("--secret-file FILE is missing: the secret with which the server was started");
        one.destroyForcibly().waitFor();
        assertThat(cli.warmly("treehaul stage out" + options + "job:tree again").expect(23).err())
                .contains("connect: Connection refused", "s1 (" + first + ")");
    }

    @Test
    void unusableArgumentsAreRefused() throws Exception {
        assertThat(cli.runWarmly("serve", "--secret-file", "secret").expect(2).err())
                .contains("serve: --directory DIR is missing");
        assertThat(cli.runWarmly("serve", "--directory", "d").expect(2).err())
                .contains("serve: --secret-file FILE is missing");
        assertThat(refused("--listen", "here")).contains("serve: --listen must be HOST:PORT, such as node1:4711");
        assertThat(refused("--listen", "127.0.0.1:99999")).contains("serve: --listen must be HOST:PORT");
        assertThat(refused("--tls-cert", "c")).contains("serve: --tls-cert and --tls-key need each other");
        Files.writeString(Files.createDirectory(place.resolve("mine")).resolve("file"), "mine");
        assertThat(cli.runWarmly("serve", "--directory", "mine", "--secret-file", "secret").expect(2).err())
                .contains("the directory is not empty, and not that of a stage");
        assertThat(place.resolve("mine/file")).hasContent("mine");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(refused()).contains("serve: the secret in secret is open to others (mode 644)");
        assertThat(place.resolve("d")).as("nothing was made").doesNotExist();
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        assertThat(refused("--tls-cert", "secret", "--tls-key", "secret")).contains("no certificate in secret");
    }

    private String refused(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("serve", "--directory", "d", "--secret-file", "secret"));
        command.addAll(List.of(options));
        return cli.runWarmly(command.toArray(String[]::new)).expect(2).err();
    }

    @Test
    void aDirectoryHasOneServer() throws Exception {
        Process process = serve("127.0.0.1:0");
        address(process);
        assertThat(cli.runWarmly("serve", "--directory", "segments", "--secret-file", "secret").expect(2).err())
                .contains("segments: another process serves this directory: Device or resource busy (EBUSY)");
    }
}
