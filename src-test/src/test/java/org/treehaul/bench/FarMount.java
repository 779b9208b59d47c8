// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.treehaul.programs.Programs;

/**
 * A far file system and the local directory that it shows. Closing it unmounts it and ends its processes.
 *
 * @param title its name in reports
 * @param path where it is mounted
 * @param near the same directory without its latency
 * @param directory all its files
 * @param server the process that answers; null if {@code src-test/netfs} ends it
 * @param share the part of the tree that takes some seconds there
 */
record FarMount(String title, Path path, Path near, Path directory, @Nullable Process server,
        double share) implements AutoCloseable {

    private static final String GLUSTER = "gluster";
    private static final int TENTHS_TO_MOUNT = 300;

    /**
     * Mounts it.
     *
     * @param name {@code gluster}, or the milliseconds that each request takes
     * @param directory a directory for its files, which is made
     * @throws IOException if it cannot be mounted, with the reason
     */
    static FarMount of(String name, Path directory) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        return name.equals(GLUSTER) ? gluster(directory) : delayed(Double.parseDouble(name), directory);
    }

    private static FarMount gluster(Path directory) {
        Path files = directory.resolve("netfs");
        Programs.run(script(), "up", GLUSTER, files);
        // The bricks have the files of the volume in parts, so nothing shows them near.
        return new FarMount("GlusterFS", files.resolve("mnt"), files.resolve("mnt"), directory, null, 0.2);
    }

    private static FarMount delayed(double millis, Path directory) throws IOException, InterruptedException {
        Path program = compile(directory);
        Path near = Files.createDirectories(directory.resolve("near"));
        Path path = Files.createDirectories(directory.resolve("far"));
        Process server = new ProcessBuilder(program.toString(), Long.toString(Math.round(millis * 1000)),
                near.toString(), path.toString()).inheritIO().start();
        FarMount mount = new FarMount("FUSE, %s ms for each request".formatted(millis), path, near, directory, server,
                Math.min(1, 0.5 / millis));
        for (int i = 0; i < TENTHS_TO_MOUNT && server.isAlive(); i++) {
            if (Files.getFileStore(path).type().startsWith("fuse")) {
                return mount;
            }
            Thread.sleep(100);
        }
        mount.close();
        throw new IOException("not mounted: " + path);
    }

    /** Compiles the file system. */
    static Path compile(Path directory) throws IOException {
        Path source = directory.resolve("far.c");
        Path program = directory.resolve("far-server");
        try (var in = Objects.requireNonNull(FarMount.class.getResourceAsStream("/bench/far.c"))) {
            Files.write(source, in.readAllBytes());
        }
        Programs.run("sh", "-c", "gcc -O2 -Wall -Wextra -Werror -pthread $(pkg-config --cflags fuse3) -o \"$1\" \"$2\""
                + " $(pkg-config --libs fuse3)", "sh", program, source);
        return program;
    }

    private static Path script() {
        return Path.of(Objects.requireNonNull(System.getProperty("treehaul.root"), "start it by src-test/bench"),
                "src-test/netfs");
    }

    /** Returns a path as it is without the latency. */
    Path near(Path far) {
        return near.resolve(path.relativize(far));
    }

    @Override
    public void close() {
        if (server == null) {
            Programs.run(script(), "down", directory.resolve("netfs"));
        } else {
            Programs.ask("fusermount3", "-u", "-z", path);
            server.destroy();
            try {
                if (!server.waitFor(10, TimeUnit.SECONDS)) {
                    server.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Programs.ask("rm", "-rf", "--one-file-system", "--", directory);
    }
}
