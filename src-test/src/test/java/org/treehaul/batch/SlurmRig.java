// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/**
 * Runs a separate Slurm with four nodes of two CPUs, started by {@code src-test/slurm} for the first class that has
 * this extension and stopped after the last. It allows arrays of at most {@link #ARRAY_LIMIT} jobs.
 */
final class SlurmRig implements BeforeAllCallback, ParameterResolver {
    /** The most jobs in an array. */
    static final int ARRAY_LIMIT = 6;

    private static final Namespace NAMESPACE = Namespace.create(SlurmRig.class);

    /** A running Slurm. */
    static final class Running implements AutoCloseable {
        private final TestDirectory directory;
        private final Map<String, String> environment;

        private Running(TestDirectory directory, Map<String, String> environment) {
            this.directory = directory;
            this.environment = environment;
        }

        /** Returns an environment in which Slurm's programs find it. */
        Map<String, String> environment() {
            return environment;
        }

        /** Runs a program of Slurm, which must succeed, and returns its output. */
        String run(Object... command) throws Exception {
            return Run.of(environment, command).expect(0).out();
        }

        /** Kills a node with all its processes, and marks it down in the controller. */
        void kill(String node) throws Exception {
            Run.of(script(), "kill", place(), node).expect(0);
            run("scontrol", "update", "NodeName=" + node, "State=DOWN", "Reason=killed");
        }

        /** Starts a node again. */
        void start(String node) throws Exception {
            start(node, List.of());
        }

        private void start(String node, List<Object> by) throws Exception {
            Run.of(Stream.concat(by.stream(), Stream.of(script(), "start", place(), node)).toArray()).expect(0);
            // A node that has already registered with the controller cannot be resumed any more.
            TransferCli.until(() -> {
                Run.of(environment, "scontrol", "update", "NodeName=" + node, "State=RESUME");
                return run("sinfo", "-h", "-n", node, "-o", "%t").strip().matches("idle|mix|alloc");
            });
        }

        /** Starts a node again with an empty file system in place of a directory. */
        void startHiding(String node, Path hidden) throws Exception {
            start(node, List.of("unshare", "-m", "--propagation", "private", "sh", "-c",
                    "mount -t tmpfs none \"$0\" && exec \"$@\"", hidden.toString()));
        }

        /**
         * Starts a node again as a host of its own, by its name.
         *
         * @param hosts takes the place of /etc/hosts there
         * @param empty a directory in whose place the node has an empty file system
         */
        void startApart(String node, Path hosts, Path empty) throws Exception {
            start(node,
                    List.of("unshare", "--mount", "--uts", "--propagation", "private", "sh", "-c",
                            "hostname \"$0\" && mount --bind \"$1\" /etc/hosts && mount -t tmpfs none \"$2\" && shift 2"
                                    + " && exec \"$@\"",
                            node, hosts, empty));
        }

        private Path place() {
            return directory.resolve("slurm");
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

    private static Path script() {
        return Path
                .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"), "src-test/slurm")
                .toAbsolutePath();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        running(context);
    }

    private static Running running(ExtensionContext context) {
        Privilege.requireRoot("to start the daemons of Slurm");
        Object found = context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent("slurm", key -> {
            try {
                return up();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        Assumptions.assumeTrue(found instanceof Running, "no Slurm: " + found);
        return (Running) found;
    }

    // Returns the running Slurm, or the reason why there is none.
    private static Object up() throws Exception {
        TestDirectory directory = TestDirectory.make();
        boolean started = false;
        try {
            Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwx--x--x"));
            Path place = directory.resolve("slurm");
            Map<String, String> environment = new TreeMap<>(System.getenv());
            environment.put("MAX_ARRAY_SIZE", Integer.toString(ARRAY_LIMIT));
            environment.put("CPUS", "2");
            environment.put("KILL_WAIT", "2");
            environment.put("OWNER", Long.toString(ProcessHandle.current().pid()));
            Run run = Run.of(environment, script(), "up", place);
            started = run.code() == 0;
            if (!started) {
                Run.of(script(), "down", place);
                return run.err().strip();
            }
            Map<String, String> with = new TreeMap<>(System.getenv());
            with.put("SLURM_CONF", place.resolve("slurm.conf").toString());
            return new Running(directory, with);
        } finally {
            if (!started) {
                directory.close();
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Running.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return running(context);
    }
}
