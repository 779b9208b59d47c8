// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;
import org.treehaul.strategies.Strategies;

/** Layouts of files on a real GlusterFS of four hosts, beside the bricks on which their files are. */
@Tag("rig")
class GlusterLocalityTest {

    private static final List<String> HOSTS = List.of("node1", "node2", "node3", "node4");

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    /** Returns the hosts on whose bricks each file of a volume is, as find shows it. */
    private static Map<String, Set<String>> found(NetworkFileSystem gluster, String volume) {
        Map<String, Set<String>> hosts = new TreeMap<>();
        for (String host : HOSTS) {
            // A file with the sticky bit and no data only refers to another brick.
            Programs.run("find", gluster.brick(host, volume), "-name", ".glusterfs", "-prune", "-o", "-name", ".shard",
                    "-prune", "-o", "-type", "f", "!", "-perm", "-1000", "-printf", "%P\n")
                    .lines()
                    .forEach(path -> hosts.computeIfAbsent(path, none -> new TreeSet<>()).add(host));
        }
        return hosts;
    }

    private static void files(Path directory, int count, long size) throws IOException {
        for (int i = 0; i < count; i++) {
            Path file = directory.resolve("d" + i % 3).resolve("file-" + i + (i % 5 == 0 ? " a:b>c" : ""));
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[(int) (size + i)]);
        }
    }

    private static DataLayout layout(Path file) throws IOException {
        return Locality.over(Linux.calls()).layout(bytes(file)).orElseThrow();
    }

    private static void areWhereFindShowsThem(NetworkFileSystem gluster, Path mount, String volume) throws IOException {
        Map<String, Set<String>> found = found(gluster, volume);
        assertThat(found).hasSizeGreaterThan(20);
        for (Map.Entry<String, Set<String>> file : found.entrySet()) {
            DataLayout layout = layout(mount.resolve(file.getKey()));
            assertThat(layout.servers()).as(file.getKey()).containsExactlyInAnyOrderElementsOf(file.getValue());
            layout.extents()
                    .getFirst()
                    .holders()
                    .getFirst()
                    .places()
                    .forEach(place -> assertThat(place.path())
                            .isEqualTo(bytes(gluster.brick(place.server(), volume).resolve(file.getKey()))));
        }
    }

    @Test
    void filesAreOnTheBricksThatTheirLayoutsName() throws Exception {
        try (NetworkFileSystem gluster = NetworkFileSystem.nodes()) {
            files(gluster.resolve("distributed"), 40, 100);
            files(gluster.resolve("replicated", "tree"), 25, 100);
            areWhereFindShowsThem(gluster, gluster.resolve(""), "v");
            areWhereFindShowsThem(gluster, gluster.resolve("replicated", ""), "r");

            // A sharded volume names the place of the first shard only.
            Path sharded = gluster.resolve("sharded", "large");
            writeShards(sharded, 20);
            assertThat(layout(sharded).servers()).containsExactlyElementsOf(found(gluster, "s").get("large"));
            assertThat(shards(gluster)).as("hosts with shards").hasSizeGreaterThan(1);
            assertThat(layout(sharded).servers(16 << 20, 1)).hasSizeLessThanOrEqualTo(1);

            otherUsersSeeTheSame(gluster);
            batchesAreDividedByBricks(gluster);
            workersBeginOnTheirOwnHosts(gluster);
            workersOfAPoolBeginOnTheirOwnHosts(gluster);
        }
    }

    // Shards have random names, so a few of them may all be on one host.
    private static void writeShards(Path file, int count) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            for (int i = 0; i < count; i++) {
                out.seek((long) i << 22);
                out.write(1);
            }
        }
    }

    private static Set<String> shards(NetworkFileSystem gluster) throws IOException {
        Set<String> hosts = new TreeSet<>();
        for (String host : HOSTS) {
            Path shards = gluster.brick(host, "s").resolve(".shard");
            try (Stream<Path> all = Files.exists(shards) ? Files.walk(shards) : Stream.empty()) {
                if (all.anyMatch(Files::isRegularFile)) {
                    hosts.add(host);
                }
            }
        }
        return hosts;
    }

    private static void otherUsersSeeTheSame(NetworkFileSystem gluster) throws Exception {
        Map<String, Set<String>> found = found(gluster, "v");
        // Another user may enter neither the directory of the build nor that of the test.
        Files.setPosixFilePermissions(gluster.local(""), PosixFilePermissions.fromString("rwxr-xr-x"));
        Path jar = Files.copy(Run.JAR, gluster.local("treehaul.jar"));
        List<String> lines = Run
                .of(Run.command(List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"), jar,
                        "walk", "--locality", gluster.resolve("distributed")).toArray())
                .expect(0)
                .out()
                .lines()
                .filter(line -> line.contains("/file-"))
                .toList();
        assertThat(lines).hasSize(40);
        for (String line : lines) {
            String[] fields = line.split("\t", 2);
            String path = gluster.resolve("").relativize(Path.of(fields[1])).toString();
            assertThat(Set.of(fields[0].split(","))).isEqualTo(found.get(path));
        }
    }

    private static PlanRequest request(NetworkFileSystem gluster, String id, Path copy) {
        return PlanRequest
                .of(id, List.of(new PlanRequest.Pair(Root.of(bytes(gluster.resolve("large"))), bytes(copy))),
                        Strategies.sizeBalanced())
                .withLimits(4, BatchLimits.batches(16))
                .withSettings(CopySettings.of(CopyOptions.archive().threads(1).build()))
                .withServers(true);
    }

    private static Plan plan(PlanRequest request, Path directory) throws IOException {
        Planner.of(Linux.calls(), request).plan(directory, event -> {
        }, new Progress(), new Cancellation());
        return Plan.open(directory);
    }

    private static void batchesAreDividedByBricks(NetworkFileSystem gluster) throws IOException {
        files(gluster.resolve("large"), 32, 1 << 20);
        Map<String, Set<String>> found = found(gluster, "v");
        Plan plan = plan(request(gluster, "test", gluster.local("copy")).withToken(false), gluster.local("plan"));
        List<String> all = new ArrayList<>();
        for (int batch = 0; batch < plan.batchCount(); batch++) {
            Set<String> servers = Set.copyOf(plan.servers(batch));
            assertThat(servers).hasSize(1);
            try (PlanRecords<ManifestEntry> entries = plan.manifest(batch)) {
                for (ManifestEntry entry = entries.next(); entry != null; entry = entries.next()) {
                    assertThat(found.get("large/" + entry.path())).isEqualTo(servers);
                    all.add(entry.path().toString());
                }
            }
        }
        assertThat(all).hasSize(32).doesNotHaveDuplicates();
    }

    private static void workersBeginOnTheirOwnHosts(NetworkFileSystem gluster) throws Exception {
        for (String host : HOSTS) {
            Path copy = gluster.local("copy-of-" + host);
            TransferDirectory transfer = org.treehaul.core.transfer.Transfers.in(gluster.local("state-of-" + host))
                    .create(new Operation.Copy(), "", Timing.defaults());
            Plan plan = plan(request(gluster, transfer.id().text(), copy), transfer.plan());
            int generation = org.treehaul.core.transfer.Transfers.in(gluster.local("state-of-" + host)).start(transfer);
            List<String> worker = Run.command(gluster.on(host), Run.JAR, "worker", "--generation", generation,
                    "--index", 1);
            Run.of(new ProcessBuilder(worker).directory(transfer.path().toFile())).expect(0);
            List<Boolean> areLocal = inOrder(transfer).stream()
                    .map(batch -> plan.servers(batch).equals(List.of(host)))
                    .toList();
            assertThat(areLocal).hasSize(plan.batchCount()).contains(true, false);
            assertThat(areLocal.lastIndexOf(true)).as(host + " " + areLocal).isLessThan(areLocal.indexOf(false));
            Transfers.assertCopied(gluster.resolve("large"), copy);
        }
    }

    private static void workersOfAPoolBeginOnTheirOwnHosts(NetworkFileSystem gluster) throws Exception {
        Path copy = gluster.local("copy-by-pool");
        Path state = gluster.local("state-of-pool");
        String id = Run.of(Run
                .command(List.of(), Run.JAR, "cp", "-aT", "--threads", 1, "--jobs", 4, "--batches", 16, "--scheduler",
                        "pool", "--space", gluster.local("pool"), "--state-dir", state, gluster.resolve("large"), copy)
                .toArray()).expect(0).out().strip();
        TransferDirectory transfer = TransferDirectory.open(state.resolve("transfers").resolve(id));
        Plan plan = Plan.open(transfer.plan());
        Run.of(Run
                .command(gluster.on(HOSTS.get(2)), Run.JAR, "worker", "--pool", gluster.local("pool"), "--state-dir",
                        state, "--idle", 1)
                .toArray()).expect(0);
        List<Boolean> areLocal = inOrder(transfer).stream()
                .map(batch -> plan.servers(batch).equals(List.of(HOSTS.get(2))))
                .toList();
        assertThat(areLocal).hasSize(plan.batchCount()).contains(true, false);
        assertThat(areLocal.lastIndexOf(true)).as("%s", areLocal).isLessThan(areLocal.indexOf(false));
        Transfers.assertCopied(gluster.resolve("large"), copy);
    }

    /** Returns the batches in the order in which a worker did them. */
    private static List<Integer> inOrder(TransferDirectory transfer) throws IOException {
        try (Stream<Path> journals = Files.list(transfer.path().resolve("attempts"))) {
            // Two short batches may end within one tick of the clock.
            Map<FileTime, Set<Integer>> batches = new TreeMap<>();
            for (Path journal : journals.toList()) {
                batches.computeIfAbsent(Files.getLastModifiedTime(journal), none -> new TreeSet<>())
                        .add(Integer.parseInt(journal.getFileName().toString().replaceFirst("\\..*", "")));
            }
            return batches.values().stream().flatMap(Set::stream).toList();
        }
    }
}
