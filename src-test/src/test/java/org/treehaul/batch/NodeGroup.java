// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.StripeRange;

/** Groups of {@link NodeTask} on nodes. */
final class NodeGroup {

    private NodeGroup() {}

    /** Returns the process of a task, by the first message of its task: the name of the node and the number. */
    static ProcessHandle process(String identity) {
        return ProcessHandle.of(Long.parseLong(identity.substring(identity.indexOf(' ') + 1))).orElseThrow();
    }

    /**
     * Returns options for one process on each node.
     *
     * @param environment additions to the environment of what starts the processes
     * @param words what starts them, as for {@link Launcher#prefix}
     */
    static GroupOptions options(TestDirectory directory, Map<String, String> environment, List<String> words)
            throws IOException {
        return options(directory, (host, command) -> {
            command.environment().putAll(environment);
            return Launcher.prefix(words).start(host, command);
        });
    }

    /** Returns options for one process on each node, which a launcher starts. */
    static GroupOptions options(TestDirectory directory, Launcher launcher) throws IOException {
        Path services = Files.createDirectories(directory.resolve("classes/META-INF/services"));
        Files.writeString(services.resolve("org.treehaul.schedulers.tasks.TaskProvider"),
                NodeTask.class.getName() + "\n");
        return GroupOptions.defaults()
                .placement(GroupOptions.Placement.HOSTS)
                .launcher(launcher, directory.path())
                .outputs(directory.path())
                .java(List.of(Run.JAVA.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED"),
                        directory.resolve("classes") + ":"
                                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")))
                .times(Duration.ofHours(1), Duration.ofHours(1), Duration.ofSeconds(30));
    }

    /** Returns a file with a segment of ten bytes on each of some nodes, whose names are node and a number. */
    static SegmentedFile onNodes(int first, int count) {
        List<Segment> segments = IntStream.range(0, count)
                .mapToObj(i -> new Segment(i, Optional.of("node" + (first + i)), List.of(StripeRange.of(i * 10L, 10))))
                .toList();
        return () -> segments;
    }
}
