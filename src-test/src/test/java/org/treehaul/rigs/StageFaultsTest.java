// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.collective.CollectiveParallelFile;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.strategies.collective.CollectiveException;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.ranks.communicator.Transport;
import org.treehaul.tuplespace.store.SpaceUri;

/** Stages whose servers and clients are killed, stopped and cut off, and whose disks fill, as processes and mounts. */
class StageFaultsTest {

    private static final String SAME = "rsync -anic --delete src/ out/\n";

    private final TestDirectory directory = TestDirectory.make();
    private final Path place = directory.path();
    private final Cli cli = new Cli(place);
    private final List<Process> started = new ArrayList<>();
    private final List<Path> mounts = new ArrayList<>();

    @BeforeEach
    void makeSecret() throws Exception {
        Path secret = Files.createFile(place.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
        Files.createDirectory(place.resolve("src"));
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
        for (Path mount : mounts) {
            Run.of(new ProcessBuilder("umount", mount.toString())).expect(0);
        }
        directory.close();
    }

    private Process serve(String name, String listen) throws IOException {
        Process process = cli.start("serve", "--directory", name, "--secret-file", "secret", "--listen", listen);
        started.add(process);
        return process;
    }

    private static String address(Process process) throws IOException {
        String line = process.inputReader().readLine();
        assertThat(line).isNotNull().startsWith("serving ");
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    // The directories of the servers are not at the paths that clients know, as on other nodes.
    private List<String> far(List<Process> servers) throws IOException {
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            addresses.add(address(servers.get(i)));
            Files.move(place.resolve("n" + (i + 1)), place.resolve("far" + (i + 1)));
        }
        return addresses;
    }

    private Run ok(String script) throws Exception {
        return cli.warmly(script.replace("$S", "--space cat --secret-file secret")).expect(0);
    }

    private String fails(int code, String script) throws Exception {
        return cli.warmly(script.replace("$S", "--space cat --secret-file secret")).expect(code).err();
    }

    private void random(String file, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Files.write(place.resolve(file), bytes);
    }

    private static long bytes(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    // Waits until a process is in the middle of its work.
    private static void awaitBytes(Process process, Path into, long bytes) throws IOException {
        while (process.isAlive() && bytes(into) < bytes) {
            Thread.onSpinWait();
        }
    }

    @Test
    @Tag("rig")
    void aServerIsKilledInTheMiddleOfAWriteAndAnotherOneIsStopped() throws Exception {
        List<Process> servers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            servers.add(serve("n" + i, "127.0.0.1:0"));
        }
        List<String> addresses = far(servers);
        random("src/large", 150_000_000);
        ok("mkdir empty; $T stage in -q $S --add-servers " + String.join(",", addresses) + " empty job:");
        Process client = cli.start("stage", "in", "--space", "cat", "--secret-file", "secret", "--copies", "2", "src",
                "job:x");
        awaitBytes(client, place.resolve("far2"), 5_000_000);
        servers.get(1).destroyForcibly().waitFor();
        String said = new String(client.getErrorStream().readAllBytes(), UTF_8);
        assertThat(client.waitFor()).as(said).isZero();
        assertThat(said).contains("copies of some files could not be written", "@s2");
        // One copy of each segment is left, and nothing is short.
        assertThat(ok("$T stage out -q $S job:x out\n" + SAME).out()).isEmpty();
        assertThat(fails(2, "$T stage repair $S job:")).contains("s2 (" + addresses.get(1) + ")");
        assertThat(fails(23, "mkdir some; echo 1 > some/f; $T stage in -q --copies 3 $S some job:y"))
                .contains("s2 (" + addresses.get(1) + ")");
        assertThat(address(serve("far2", addresses.get(1)))).isEqualTo(addresses.get(1));
        assertThat(ok("$T stage repair $S job:").err()).contains("built ");
        ok("$T stage check --clean $S job:; $T stage check $S job: && $T stage verify -q $S job:");
        ok("$T stage drain --durable $S job: s1");
        assertThat(bytes(place.resolve("far1"))).as("only the marker is left").isLessThan(100);
        // A server that is stopped is named within the patience of 30 s; the other copy is read.
        Cli.signal(servers.get(2), "STOP");
        assertThat(ok("rm -r out; $T stage out -q $S job:x out\n" + SAME).out()).isEmpty();
        assertThat(cli.warmly("$T stage check --space cat --secret-file secret job:").expect(1).out())
                .contains("unreachable server s3: ", "silent for 30 s");
        Cli.signal(servers.get(2), "CONT");
        ok("$T stage check $S job:");
    }

    @Test
    @Tag("rig")
    @Tag("happy-path")
    void aServerThatIsKilledInACollectiveWriteIsNamedOnEveryRankAndTheFileIsIncomplete() throws Exception {
        List<Process> servers = List.of(serve("n1", "127.0.0.1:0"), serve("n2", "127.0.0.1:0"));
        List<String> addresses = far(servers);
        ok("mkdir empty; $T stage in -q $S --add-servers " + String.join(",", addresses) + " empty job:");
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        try (SegmentClients clients = new SegmentClients(RunSecret.read(ByteString.of(place.resolve("secret"))), false);
                Stage stage = Stage.open(Catalogue.openExisting(SpaceUri.of(place.resolve("cat")), "job"), clients,
                        2)) {
            ParallelFile file = stage.create(ByteString.of("result"),
                    new StripeLayout(List.of("s1", "s2"), 2, 64 << 10), 0600);
            assertThat(file.publish()).isTrue();
            Thread killer = Thread.ofPlatform()
                    .start(() -> killAfter(servers.get(1), place.resolve("far2"), 1_000_000));
            Transport.threads().run(List.of(0, 1, 1), communicator -> {
                int block = 10_000;
                FileView view = FileView.vector((long) communicator.rank() * block, 200, block, 3L * block);
                ByteBuffer data = ByteBuffer.allocateDirect((int) view.bytes());
                try (CollectiveRanks ranks = new CollectiveRanks(communicator,
                        CollectiveParallelFile.aligned(CollectiveSettings.defaults(), file))) {
                    while (true) {
                        ranks.write(new CollectiveParallelFile(file), view, data.clear());
                    }
                } catch (CollectiveException e) {
                    told.add(String.valueOf(e.getMessage()));
                }
            });
            killer.join();
        }
        assertThat(told).hasSize(3)
                .containsOnly(told.getFirst())
                .allMatch(one -> one.contains("job:result") && one.contains("s2 (" + addresses.get(1) + ")"));
        assertThat(cli.warmly("$T stage check --space cat --secret-file secret job:").expect(1).out())
                .contains("unreachable server s2: ", "incomplete segment ", " on server s2, 0 B: result");
        // The server comes back, and has a part of the data.
        assertThat(address(serve("far2", addresses.get(1)))).isEqualTo(addresses.get(1));
        assertThat(cli.warmly("$T stage out --space cat --secret-file secret job: out").err()).contains("result: ",
                "the file is incomplete", "s2");
        assertThat(place.resolve("out/result")).doesNotExist();
    }

    private static void killAfter(Process server, Path directory, long bytes) {
        try {
            awaitBytes(server, directory, bytes);
            server.destroyForcibly().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void mount(String name, String size) throws Exception {
        Path at = Files.createDirectory(place.resolve(name));
        Run.of(new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=" + size, "full", at.toString())).expect(0);
        mounts.add(at);
    }

    private long used(String mount) throws Exception {
        return Long.parseLong(
                Run.of(new ProcessBuilder("sh", "-c", "df --output=used -B1 " + place.resolve(mount) + " | tail -n 1"))
                        .expect(0)
                        .out()
                        .strip());
    }

    @Test
    @Tag("rig")
    void aDiskThatFillsFailsFilesByTheNameOfItsServerAndHasTheRoomAgainAfterTheirRemoval() throws Exception {
        mount("small", "12m");
        long before = used("small");
        ok("mkdir disk1 disk2");
        random("src/large", 40_000_000);
        for (int i = 0; i < 40; i++) {
            random("src/f" + i, 500_000 + i);
        }
        String failed = fails(23, "$T stage in --space cat --directories disk1,small,disk2 src job:x");
        assertThat(failed).contains("src/large", "d2 (", "ENOSPC");
        // Each file that has a path is whole.
        assertThat(fails(0, "$T stage verify --space cat job:; $T stage check --space cat job:")).contains("agree");
        assertThat(
                cli.warmly("$T stage out -q --space cat job:x out; rsync -nic --existing -r src/ out/").expect(0).out())
                .isEmpty();
        ok("$T stage rm -rq --space cat job:x");
        assertThat(used("small") - before).isLessThan(100_000);
        // With copies, those on the full disk are marked, and built when there is room.
        assertThat(ok("$T stage in --space cat --copies 2 src job:x").err())
                .contains("copies of some files could not be written", "@d2");
        assertThat(ok("rm -r out; $T stage out -q --space cat job:x out\n" + SAME).out()).isEmpty();
        assertThat(fails(23, "$T stage repair --space cat job:")).contains("d2 (", "ENOSPC");
        Run.of(new ProcessBuilder("mount", "-o", "remount,size=200m", place.resolve("small").toString())).expect(0);
        assertThat(ok("$T stage repair --space cat job:").err()).contains("built ");
        assertThat(ok("$T stage check --space cat job:").err()).contains("agree");
        // cp into the stage, too.
        Run.of(new ProcessBuilder("mount", "-o", "remount,size=" + (used("small") + 2_000_000),
                place.resolve("small").toString())).expect(0);
        assertThat(fails(23, "$T cp -aT --space cat src stage:job/y")).contains("d2 (", "ENOSPC");
        assertThat(fails(0, "$T stage check --space cat job:")).contains("agree");
    }

    @Test
    @Tag("rig")
    void aCatalogueWhoseDiskIsFullSaysSoAndLosesNoFileThatItHad() throws Exception {
        mount("little", "2m");
        ok("mkdir disk1 disk2 one; echo 1 > one/f; $T stage in -q --space little/cat --directories disk1,disk2 one job:one");
        for (int i = 0; i < 3000; i++) {
            Files.writeString(place.resolve("src/" + "name".repeat(40) + i), "" + i);
        }
        Run full = cli.warmly("$T stage in --space little/cat src job:x");
        assertThat(full.code()).as(full.err()).isIn(2, 23);
        assertThat(full.err()).contains("there is no room");
        Run.of(new ProcessBuilder("mount", "-o", "remount,size=50m", place.resolve("little").toString())).expect(0);
        ok("$T stage in -q --space little/cat src job:x; $T stage check -q --clean --space little/cat job:");
        assertThat(ok("$T stage out -q --space little/cat job:x out\n" + SAME).out()).isEmpty();
        assertThat(ok("$T stage check --space little/cat job:; $T stage ls --space little/cat job:one").out())
                .contains("one/f");
    }

    @Test
    @Tag("rig")
    void clientsThatAreKilledAnywhereAreContinuedAndLeaveNothingBehind() throws Exception {
        killed(3);
    }

    @Test
    @Tag("campaign")
    void manyClientsThatAreKilledAnywhereAreContinuedAndLeaveNothingBehind() throws Exception {
        killed(Campaign.cases(100));
    }

    private void killed(int cases) throws Exception {
        random("src/large", 30_000_000);
        for (int i = 0; i < 300; i++) {
            random("src/f" + i, i * 37);
        }
        ok("mkdir disk1 disk2 disk3 empty; $T stage in -q --space cat --directories disk1,disk2,disk3 empty job:");
        Random random = new Random(Campaign.seed(1));
        List<List<String>> verbs = List.of(List.of("stage", "in", "--copies", "2", "--space", "cat", "src", "job:x"),
                List.of("cp", "-auT", "--copies", "2", "--space", "cat", "src", "stage:job/x"),
                List.of("stage", "out", "--space", "cat", "job:x", "out"));
        for (int i = 0; i < cases; i++) {
            List<String> verb = verbs.get(i % verbs.size());
            boolean isOut = verb.contains("out");
            if (!isOut) {
                ok("$T stage rm -rq --space cat job:x 2> /dev/null; $T stage check -q --clean --space cat job:; true");
            }
            ok("rm -rf out");
            Process process = cli.start(verb.toArray(String[]::new));
            started.add(process);
            Cli.awaitSignalHandlers(process);
            Thread.sleep(random.nextInt(400));
            process.destroyForcibly().waitFor();
            // Its rests are found, and nothing that has a path is damaged.
            assertThat(cli.warmly("$T stage verify -q --space cat job:").expect(0).err()).isEmpty();
            assertThat(cli.warmly("$T stage check --space cat job:").code()).isIn(0, 1);
            ok("$T " + String.join(" ", verb) + " 2> /dev/null");
            ok("$T stage check -q --clean --space cat job:");
            assertThat(ok("$T stage check --space cat job:").err()).contains("agree");
            assertThat(ok("$T stage out -q --space cat job:x out\n" + SAME).out()).isEmpty();
        }
    }
}
