// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Runs the emulated PBS of the test resources, with a server of its own. */
final class PbsRig implements AutoCloseable {
    /** The most jobs in an array. */
    static final int ARRAY_LIMIT = 6;

    private final TestDirectory directory = TestDirectory.make();
    private final Process server;

    PbsRig(PbsDialect dialect, boolean allowRoot, boolean history) throws IOException {
        this(dialect, allowRoot, history, List.of());
    }

    /** Returns a rig whose nodes see an empty file system in place of a directory. */
    static PbsRig hiding(PbsDialect dialect, Path hidden) throws IOException {
        Privilege.requireRoot("to mount a file system");
        return new PbsRig(dialect, false, true, List.of("unshare", "-m", "--propagation", "private", "sh", "-c",
                "mount -t tmpfs none \"$0\" && exec \"$@\"", hidden.toString()));
    }

    /**
     * Returns a rig whose jobs and nodes know the hosts of a file in the format of /etc/hosts, and see an empty file
     * system in place of a directory.
     */
    static PbsRig knowing(PbsDialect dialect, Path hosts, Path hidden) throws IOException {
        Privilege.requireRoot("to mount a file system");
        return new PbsRig(dialect, true, true,
                List.of("unshare", "-m", "--propagation", "private", "sh", "-c",
                        "mount --bind \"$0\" /etc/hosts && mount -t tmpfs none \"$1\" && shift && exec \"$@\"",
                        hosts.toString(), hidden.toString()));
    }

    private PbsRig(PbsDialect dialect, boolean allowRoot, boolean history, List<String> by) throws IOException {
        Assumptions.assumeTrue(Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "python3"))), "python3 is not installed");
        Path programs = directory.directory("bin");
        Path state = directory.directory("state");
        for (Path open : List.of(directory.path(), programs, state)) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        Path pbs = programs.resolve("pbs");
        TransferRig.install("pbs", pbs);
        for (String name : List.of("qsub", "qstat", "qdel", "qmgr", "pbsdsh", "pbs_tmrsh")) {
            Files.createSymbolicLink(programs.resolve(name), Path.of("pbs"));
        }
        Files.writeString(state.resolve("settings.json"), """
                {"dialect": "%s", "allow_root": %s, "history": %s, "max_array_size": %d, "slots": 8, "kill_delay": 2}
                """.formatted(dialect == PbsDialect.TORQUE ? "torque" : "openpbs", allowRoot, history, ARRAY_LIMIT));
        Files.writeString(state.resolve("lock"), "");
        Files.setPosixFilePermissions(state.resolve("lock"), PosixFilePermissions.fromString("rw-rw-rw-"));
        List<String> serve = new ArrayList<>(by);
        serve.addAll(List.of(pbs.toString(), "serve"));
        ProcessBuilder builder = new ProcessBuilder(serve).redirectErrorStream(true)
                .redirectOutput(directory.resolve("server.log").toFile());
        builder.environment().put("PBS_RIG", state.toString());
        server = builder.start();
    }

    /** Returns an environment whose PATH contains its programs. */
    Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.put("PATH", directory.resolve("bin") + ":" + environment.getOrDefault("PATH", "/usr/bin:/bin"));
        environment.put("PBS_RIG", directory.resolve("state").toString());
        return environment;
    }

    /** Returns the path of one of its programs. */
    Path program(String name) {
        return directory.resolve("bin").resolve(name);
    }

    /** Replaces one of its programs with a line of shell. */
    void replace(String name, String line) throws IOException {
        Files.delete(program(name));
        Files.writeString(program(name), "#!/bin/sh\n" + line + "\n");
        TransferRig.allow("rwxr-xr-x", program(name));
    }

    /** Makes the server forget its jobs; the nodes end them. */
    void loseJobs() throws IOException, InterruptedException {
        Run.of(environment(), program("pbs"), "lose").expect(0);
    }

    /** Returns the error log of the server. */
    String log() throws IOException {
        return Files.readString(directory.resolve("server.log"));
    }

    @Override
    public void close() {
        server.destroy();
        server.onExit().join();
        directory.close();
    }
}
