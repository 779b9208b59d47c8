// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Limits the processor time of a process and its children together, by a control group of Linux, of version 1 or 2; up
 * to the limit, they have precedence over others, as if the processor were theirs. To be closed after the processes
 * have ended.
 */
final class CpuCap implements AutoCloseable {
    /**
     * Microseconds in which a group may use its share. With the 100,000 that the kernel has by default, all clients
     * wait for a server that has used its share for up to a tenth of a second, and leave those of the other servers
     * unused.
     */
    private static final long PERIOD = 10_000;
    /** How many times as important a group is as other processes, so that these do not use its share. */
    private static final int WEIGHT = 100;
    private static final int DEFAULT_SHARES = 1024;
    private static final int DEFAULT_WEIGHT = 100;
    private static final String CPU = "cpu";

    private final Path group;
    private final boolean isSecondVersion;

    private CpuCap(Path group, boolean isSecondVersion) {
        this.group = group;
        this.isSecondVersion = isSecondVersion;
    }

    /**
     * Makes a group without a limit.
     *
     * @throws IOException if this process can make none; says why
     */
    static CpuCap make(String name) throws IOException {
        return make(Path.of("/proc/self"), name);
    }

    /**
     * Makes a group as {@link #make(String)} does.
     *
     * @param self the directory of this process below /proc
     */
    static CpuCap make(Path self, String name) throws IOException {
        List<String> mounts = Files.readAllLines(self.resolve("mountinfo"));
        List<String> own = Files.readAllLines(self.resolve("cgroup"));
        Optional<Path> first = mount(mounts, "cgroup");
        if (first.isPresent()) {
            Path within = within(first.get(), own, CPU);
            return new CpuCap(made(within.resolve(name)), false);
        }
        Path second = mount(mounts, "cgroup2").orElseThrow(
                () -> new IOException("no control groups for processors are mounted below /sys/fs/cgroup"));
        IOException refused = null;
        // A group that has processes cannot pass the control of processors on, unless it is the root.
        Path parent = within(second, own, "");
        while (parent != null && parent.startsWith(second)) {
            try {
                return new CpuCap(below(parent, name), true);
            } catch (IOException e) {
                refused = e;
            }
            parent = parent.getParent();
        }
        throw refused == null ? new IOException(second + " has no group of this process") : refused;
    }

    private static Path below(Path parent, String name) throws IOException {
        Path passedOn = parent.resolve("cgroup.subtree_control");
        if (!words(passedOn).contains(CPU)) {
            if (!words(parent.resolve("cgroup.controllers")).contains(CPU)) {
                throw new IOException("the control group " + parent + " has no control of processors");
            }
            write(passedOn, "+" + CPU);
        }
        return made(parent.resolve(name));
    }

    private static List<String> words(Path file) throws IOException {
        return Arrays.asList(Files.readString(file).strip().split(" ", -1));
    }

    private static Path made(Path group) throws IOException {
        try {
            return Files.createDirectory(group);
        } catch (AccessDeniedException e) {
            throw new IOException("only root can make the control group " + group, e);
        } catch (IOException e) {
            throw new IOException("the control group " + group + " cannot be made: " + e, e);
        }
    }

    /** Returns where groups of a version that control processors are mounted. */
    private static Optional<Path> mount(List<String> mounts, String type) {
        return mounts.stream()
                .map(line -> line.split(" - ", 2))
                .filter(parts -> parts.length == 2 && parts[1].startsWith(type + " "))
                .filter(parts -> type.equals("cgroup2") || List.of(parts[1].split("[ ,]", -1)).contains(CPU))
                .map(parts -> Path.of(parts[0].split(" ", -1)[4]))
                .findFirst();
    }

    /** Returns the group of this process; that of the mount if a container does not show it. */
    private static Path within(Path mount, List<String> own, String controller) {
        return own.stream()
                .map(line -> line.split(":", 3))
                .filter(parts -> List.of(parts[1].split(",", -1)).contains(controller))
                .map(parts -> mount.resolve(parts[2].substring(1)))
                .filter(Files::isDirectory)
                .findFirst()
                .orElse(mount);
    }

    /** Adds a process and all its children, also future ones. */
    void add(ProcessHandle process) throws IOException {
        try (Stream<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants())) {
            for (ProcessHandle one : all.toList()) {
                if (one.isAlive()) {
                    write(group.resolve("cgroup.procs"), Long.toString(one.pid()));
                }
            }
        }
    }

    /** Limits the processes to a part of a processor, which they get; 0 for no limit. */
    void limit(double processors) throws IOException {
        long quota = Math.round(processors * PERIOD);
        if (isSecondVersion) {
            write(group.resolve("cpu.max"), (quota == 0 ? "max" : quota) + " " + PERIOD);
            write(group.resolve("cpu.weight"), Integer.toString(DEFAULT_WEIGHT * (quota == 0 ? 1 : WEIGHT)));
        } else {
            write(group.resolve("cpu.shares"), Integer.toString(DEFAULT_SHARES * (quota == 0 ? 1 : WEIGHT)));
            write(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD));
            write(group.resolve("cpu.cfs_quota_us"), Long.toString(quota == 0 ? -1 : quota));
        }
    }

    private static void write(Path file, String value) throws IOException {
        try {
            Files.writeString(file, value);
        } catch (IOException e) {
            throw new IOException("'" + value + "' cannot be written into " + file + ": " + e.getMessage(), e);
        }
    }

    /** Removes the group. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(group);
    }
}
