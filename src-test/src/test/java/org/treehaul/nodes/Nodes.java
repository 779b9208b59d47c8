// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.programs.Programs;
import org.treehaul.schedulers.tasks.TaskProvider;

/**
 * Hosts on this machine, node1 and so on, each with a network and a disk of its own, and servers of a stage on them.
 * The last host has no server: it is that of the clients. The disk of a host is a directory that no other host sees.
 * Used by one thread.
 */
public final class Nodes implements AutoCloseable {

    static final String WARM = "warm";

    /** The name of the stage. */
    public static final String STAGE = "nodes";

    private final Path root;
    private final Path place;
    private final Path hosts;
    private final int servers;
    private final List<Process> started = new ArrayList<>();
    private @Nullable Staged staged;

    private Nodes(Path root, Path place, int servers) {
        this.root = root;
        this.place = place;
        this.hosts = place.resolve("hosts");
        this.servers = servers;
    }

    /** Returns why no hosts can be made here, if so. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("only root can make network namespaces");
        }
        return Stream.of("ip", "tc", "nsenter")
                .filter(program -> Programs.find(program).isEmpty())
                .findFirst()
                .map(program -> program + " is not installed");
    }

    /** Returns whether {@link #gluster} can be called. */
    public static boolean hasGluster() {
        return Programs.find("glusterd").isPresent() && Programs.find("glusterfs").isPresent();
    }

    /** Returns whether {@link #throttle} can be called. */
    public static boolean canThrottle() {
        return Files.exists(Path.of("/sys/fs/cgroup/blkio/cgroup.procs"));
    }

    /**
     * Makes the hosts.
     *
     * @param root the directory of the project
     * @param on the directory whose file system has the disks of all hosts
     * @param servers the number of servers, each on a host of its own; one host more has the clients
     */
    public static Nodes up(Path root, Path on, int servers) throws IOException {
        Nodes nodes = new Nodes(root, Files.createTempDirectory(Files.createDirectories(on), "nodes"), servers);
        try {
            nodes.netfs("up", "hosts", nodes.hosts);
            Path disk = Files.createDirectory(nodes.disk());
            for (int node = 1; node <= servers + 1; node++) {
                Path own = Files.createDirectory(nodes.hosts.resolve("node" + node).resolve("disk"));
                nodes.run(node, "mount", "--bind", own, disk);
            }
            return nodes;
        } catch (Throwable e) {
            try {
                nodes.close();
            } catch (Throwable also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    private void netfs(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("env", "NODES=" + (servers + 1),
                "OWNER=" + ProcessHandle.current().pid(), root.resolve("src-test/netfs")));
        words.addAll(List.of(arguments));
        Programs.run(words.toArray());
    }

    /** Returns the number of the host that has the clients. */
    public int client() {
        return servers + 1;
    }

    /** Returns the directory that on each host is its own disk. */
    public Path disk() {
        return hosts.resolve("disk");
    }

    /** Returns the directories that are the disks of all servers, as this machine sees them. */
    private List<Path> disks() {
        return IntStream.rangeClosed(1, servers).mapToObj(node -> hosts.resolve("node" + node)).toList();
    }

    /** Returns the words before a command that runs it on a host, in which the name is to be put. */
    private List<String> anywhere() {
        return List.of(root.resolve("src-test/netfs").toString(), "on", hosts.toString(), "{host}");
    }

    private List<Object> on(int node, Object... command) {
        List<Object> words = new ArrayList<>(List.of(root.resolve("src-test/netfs"), "on", hosts, "node" + node));
        words.addAll(List.of(command));
        return words;
    }

    /** Runs a command on a host and returns its output. */
    public String run(int node, Object... command) {
        return Programs.run(on(node, command).toArray());
    }

    /** Limits what hosts send and receive, each, as tc(8) writes a rate; {@code none} is no limit. */
    public void limit(String rate, int first, int last) {
        netfs(Stream
                .concat(Stream.of("limit", hosts, rate), IntStream.rangeClosed(first, last).mapToObj(i -> "node" + i))
                .toArray());
    }

    /** Limits what the processes of each server read and write of the disk in a second, those now and later. */
    public void throttle(long bytes) {
        netfs(Stream
                .concat(Stream.of("throttle", hosts, bytes),
                        IntStream.rangeClosed(1, servers).mapToObj(i -> "node" + i))
                .toArray());
    }

    /** Starts GlusterFS on all hosts. */
    public void gluster() {
        netfs("gluster", hosts);
    }

    /**
     * Makes a volume of GlusterFS with a brick on each of these hosts; with several, its files are in shards.
     *
     * @param first the first host
     * @param last the last host
     */
    public void volume(String name, int first, int last) {
        netfs(Stream
                .concat(Stream.of("volume", hosts, name), IntStream.rangeClosed(first, last).mapToObj(i -> "node" + i))
                .toArray());
    }

    /** Mounts a volume on a host; returns where. */
    public Path attach(int node, String volume) {
        Path mount = hosts.resolve("volumes").resolve(volume);
        netfs("attach", hosts, "node" + node, volume, mount);
        return mount;
    }

    /** Starts the server of a stage on each host but the last; called once. */
    public void serve(Path treehaul) throws IOException {
        Path secret = Files.createFile(place.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "0123456789abcdef0123456789abcdef\n");
        List<String> addresses = new ArrayList<>();
        for (int node = 1; node <= servers; node++) {
            started.add(Programs.start(
                    on(node, treehaul, "serve", "--directory", disk().resolve("segments"), "--secret-file", secret)
                            .toArray()));
        }
        for (Process server : started) {
            String line = Objects.requireNonNull(server.inputReader().readLine(), "a server did not start");
            addresses.add(line.substring(line.lastIndexOf(' ') + 1));
        }
        staged = new Staged(place.resolve("space"), secret, addresses);
    }

    /**
     * Measures jobs in turns, on the host of the clients. Before that each is done once, without counting.
     *
     * @param isDurable whether files are written to the disks, and read from them
     * @param limits limits links or disks; called before the first round
     * @throws IOException with the output of the program if it fails
     */
    public List<FileTimes> files(List<FileJob> jobs, int rounds, boolean isDurable, Runnable limits)
            throws IOException {
        List<String> words = new ArrayList<>(List.of("files", "rounds=" + rounds, "durable=" + isDurable,
                "disks=" + String.join(",", disks().stream().map(Path::toString).toList())));
        jobs.forEach(job -> words.add(job.text()));
        List<FileTimes> times = new ArrayList<>();
        List<long[]> lines = program(words, limits).stream()
                .map(line -> Stream.of(line.split(" ", -1)).mapToLong(Long::parseLong).toArray())
                .toList();
        for (int i = 0; i < jobs.size(); i++) {
            int at = i;
            double bytes = jobs.get(i).bytes() * 1e9;
            times.add(new FileTimes(jobs.get(i),
                    lines.stream().filter(line -> line[0] == at).map(line -> bytes / line[1]).toList(),
                    lines.stream().filter(line -> line[0] == at).map(line -> bytes / line[2]).toList()));
        }
        return times;
    }

    /**
     * Measures the {@link Application} over the first servers. Limits of links begin after its files were made and each
     * case was carried out.
     *
     * @param requests the number of requests of all processes together, a multiple of the servers
     * @param sizes bytes of a request, the largest last; each a multiple of 64 KiB
     * @param millis milliseconds of work for each request
     * @param rate the limit of the link of each host
     * @param remote the directory of the file of case B, the same on all hosts; empty to leave it out
     */
    public CaseTimes application(int number, int requests, List<Integer> sizes, int millis, int rounds, String rate,
            Optional<Path> remote) throws IOException {
        List<String> words = new ArrayList<>(List.of("application", "servers=" + number, "requests=" + requests,
                "sizes=" + String.join(",", sizes.stream().map(String::valueOf).toList()), "millis=" + millis,
                "rounds=" + rounds, "remote=" + remote.map(Path::toString).orElse(""),
                "launcher=" + String.join(" ", anywhere()), "place=" + place));
        limit("none", 1, client());
        return CaseTimes.of(number, program(words, () -> limit(rate, 1, client())));
    }

    /** Runs {@link NodeProgram} on the host of the clients and returns the lines that it prints when it is warm. */
    private List<String> program(List<String> arguments, Runnable whenWarm) throws IOException {
        // The processes of a group find their program as a service.
        Path services = Files.createDirectories(place.resolve("classes/META-INF/services"));
        Files.writeString(services.resolve(TaskProvider.class.getName()), Application.class.getName());
        List<Object> words = on(client(), Path.of(System.getProperty("java.home"), "bin/java"), "-XX:+UseSerialGC",
                "-Xmx512m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path") + ":" + place.resolve("classes"), NodeProgram.class.getName());
        words.addAll(arguments);
        Objects.requireNonNull(staged, "call serve first")
                .values()
                .forEach((name, value) -> words.add(name + "=" + value));
        Process process = Programs.start(words.toArray());
        List<String> lines = new ArrayList<>();
        boolean isWarm = false;
        try (BufferedReader out = process.inputReader(); Writer in = process.outputWriter()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.equals(WARM)) {
                    whenWarm.run();
                    in.write('\n');
                    in.flush();
                    isWarm = true;
                } else {
                    lines.add(line);
                }
            }
            if (process.waitFor() != 0 || !isWarm) {
                throw new IOException(String.join("\n", lines));
            }
            return lines;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        } finally {
            process.destroy();
        }
    }

    /** Ends all processes of the hosts, and removes the hosts and their disks. */
    @Override
    public void close() throws IOException {
        if (Files.exists(hosts)) {
            netfs("down", hosts);
        }
        TreeRemoval.remove(Linux.calls(), place);
    }
}
