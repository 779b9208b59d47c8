// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Runs and mounts a real network file system for a test; {@code src-test/netfs} starts and ends it. */
final class NetworkFileSystem implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();

    private NetworkFileSystem() {}

    /** Starts a GlusterFS, mounted with ACLs; skips the test if it is not installed. */
    static NetworkFileSystem gluster() throws IOException, InterruptedException {
        Programs.require("glusterd", "glusterfs-server");
        Programs.require("glusterfs", "glusterfs-client");
        return up("gluster");
    }

    /**
     * Starts a GlusterFS of four hosts, {@code node1} to {@code node4}, with a distributed, a replicated and a sharded
     * volume; skips the test if it is not installed.
     */
    static NetworkFileSystem nodes() throws IOException, InterruptedException {
        Programs.require("glusterd", "glusterfs-server");
        Programs.require("glusterfs", "glusterfs-client");
        return up("nodes");
    }

    /** Starts a MooseFS; skips the test if it is not installed. */
    static NetworkFileSystem moosefs() throws IOException, InterruptedException {
        return moosefs("moosefs");
    }

    /** Starts a MooseFS of four chunk servers, 10.77.0.1 to 10.77.0.4; skips the test if it is not installed. */
    static NetworkFileSystem chunkServers() throws IOException, InterruptedException {
        return moosefs("chunkservers");
    }

    private static NetworkFileSystem moosefs(String which) throws IOException, InterruptedException {
        Programs.require("mfsmaster", "moosefs-master");
        Programs.require("mfschunkserver", "moosefs-chunkserver");
        Programs.require("mfsmount", "moosefs-client");
        return up(which);
    }

    private static NetworkFileSystem up(String which) throws IOException, InterruptedException {
        Privilege.requireRoot("it starts the daemons of a file system in a network namespace");
        Mount.requireFuse();
        Programs.require("setfacl", "acl");
        NetworkFileSystem started = new NetworkFileSystem();
        boolean isUp = false;
        try {
            Map<String, String> environment = new TreeMap<>(System.getenv());
            environment.put("OWNER", Long.toString(ProcessHandle.current().pid()));
            Run.of(environment, script(), "up", which, started.place()).expect(0);
            isUp = true;
            return started;
        } finally {
            if (!isUp) {
                started.close();
            }
        }
    }

    /** Mounts a GlusterFS once more, with a client that caches its answers for an hour. */
    Path mountCaching(String name) throws IOException, InterruptedException {
        Run.of(script(), "caching", place(), name).expect(0);
        return place().resolve(name);
    }

    private static Path script() {
        return Path
                .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"), "src-test/netfs")
                .toAbsolutePath();
    }

    private Path place() {
        return directory.resolve("netfs");
    }

    /** Returns a path on it. */
    Path resolve(String name) {
        return place().resolve("mnt").resolve(name);
    }

    /** Returns a path on another of its volumes. */
    Path resolve(String volume, String name) {
        return place().resolve(volume).resolve(name);
    }

    /** Returns the brick of a volume on a host: {@code v} is distributed, {@code r} replicated, {@code s} sharded. */
    Path brick(String host, String volume) {
        return place().resolve(host).resolve(volume);
    }

    /** Returns the command that runs a command on a host. */
    List<String> on(String host, Object... command) {
        List<String> line = new ArrayList<>(List.of(script().toString(), "on", place().toString(), host));
        Stream.of(command).map(Object::toString).forEach(line::add);
        return line;
    }

    /** Returns the directory of the chunks of a chunk server, from 1. */
    Path chunks(int server) {
        return place().resolve("data" + server);
    }

    /** Returns the command that runs a command in the network of the chunk servers. */
    List<String> inside(Object... command) {
        List<String> line = new ArrayList<>(List.of(script().toString(), "inside", place().toString()));
        Stream.of(command).map(Object::toString).forEach(line::add);
        return line;
    }

    /** Returns a path beside it, on a local disk. */
    Path local(String name) {
        return directory.resolve(name);
    }

    @Override
    public void close() {
        try {
            Run.of(script(), "down", place()).expect(0);
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        } finally {
            directory.close();
        }
    }
}
