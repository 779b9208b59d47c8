// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a group runs. Immutable; {@link #defaults} has the values to begin with.
 *
 * @param placement the processes in which the tasks run
 * @param instances the number of tasks for each segment, at least 1
 * @param hasVirtualThreads whether tasks run in virtual threads, so that many can wait for messages at little cost;
 *        platform threads are better for tasks that spend long in native calls, such as those of
 *        {@code java.lang.foreign}
 * @param mailbox bytes of messages that wait for one member, of which each counts 64 more than its content; one message
 *        always fits
 * @param launcher starts the processes
 * @param directory the directory for the file by which processes find the creator of the group, which all hosts must
 *        reach under this path and only the user may write to; empty for that of temporary files
 * @param outputs the directory for the outputs of processes, a file {@code process-N.log} for each; empty if they share
 *        those of this process
 * @param javaWords the words that start Java in a process, up to its options; the class path follows
 * @param classPath the class path of the processes; by default the class path and the modules of this process, as
 *        absolute paths
 * @param arrival how long the processes have to join
 * @param silence how long a process may send nothing before its tasks are lost; it sends a sign of life each second
 * @param grace how long threads and processes have to end after a kill
 */
public record GroupOptions(Placement placement, int instances, boolean hasVirtualThreads, int mailbox,
        Launcher launcher, Optional<Path> directory, Optional<Path> outputs, List<String> javaWords, String classPath,
        Duration arrival, Duration silence, Duration grace) {

    /** The processes in which tasks run. */
    public enum Placement {
        /** All tasks are threads of this process. */
        THREADS,
        /** The tasks of each host are threads of a process of their own; those without a host share one as well. */
        HOSTS,
        /** Each task has a process of its own. */
        TASKS
    }

    private static final int MAILBOX = 1 << 20;
    private static final Duration LONGEST = Duration.ofDays(365);
    // A sign of life comes each second.
    private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(2);
    private static final GroupOptions DEFAULTS = new GroupOptions(Placement.THREADS, 1, true, MAILBOX, Launcher.here(),
            Optional.empty(), Optional.empty(),
            List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
                    "--enable-native-access=ALL-UNNAMED"),
            OwnClassPath.get(), Duration.ofMinutes(2), Duration.ofSeconds(30), Duration.ofSeconds(5));

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number or time is out of its range, or Java has no words
     */
    public GroupOptions {
        javaWords = List.copyOf(javaWords);
        if (instances < 1 || mailbox < 1 || javaWords.isEmpty()) {
            throw new IllegalArgumentException(
                    instances + " tasks for each segment, mailboxes of " + mailbox + " bytes, Java is " + javaWords);
        }
        if (!arrival.isPositive() || grace.isNegative() || silence.compareTo(SHORTEST_SILENCE) < 0
                || List.of(arrival, silence, grace).stream().anyMatch(time -> time.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("arrival " + arrival + ", silence " + silence + " (at least 2 s), grace "
                    + grace + "; each at most a year");
        }
    }

    /** Returns the options of a group whose tasks are virtual threads of this process, one for each segment. */
    public static GroupOptions defaults() {
        return DEFAULTS;
    }

    /** Returns these options with a placement. */
    public GroupOptions placement(Placement value) {
        return new GroupOptions(value, instances, hasVirtualThreads, mailbox, launcher, directory, outputs, javaWords,
                classPath, arrival, silence, grace);
    }

    /** Returns these options with a number of tasks for each segment. */
    public GroupOptions instances(int value) {
        return new GroupOptions(placement, value, hasVirtualThreads, mailbox, launcher, directory, outputs, javaWords,
                classPath, arrival, silence, grace);
    }

    /** Returns these options with tasks in virtual or in platform threads. */
    public GroupOptions virtualThreads(boolean value) {
        return new GroupOptions(placement, instances, value, mailbox, launcher, directory, outputs, javaWords,
                classPath, arrival, silence, grace);
    }

    /** Returns these options with a size of mailboxes in bytes. */
    public GroupOptions mailbox(int value) {
        return new GroupOptions(placement, instances, hasVirtualThreads, value, launcher, directory, outputs, javaWords,
                classPath, arrival, silence, grace);
    }

    /**
     * Returns these options with a launcher.
     *
     * @param shared the directory in which the processes find the creator of the group
     */
    public GroupOptions launcher(Launcher value, Path shared) {
        return new GroupOptions(placement, instances, hasVirtualThreads, mailbox, value, Optional.of(shared), outputs,
                javaWords, classPath, arrival, silence, grace);
    }

    /** Returns these options with a directory for the outputs of processes. */
    public GroupOptions outputs(Path value) {
        return new GroupOptions(placement, instances, hasVirtualThreads, mailbox, launcher, directory,
                Optional.of(value), javaWords, classPath, arrival, silence, grace);
    }

    /** Returns these options with a Java and a class path of the processes. */
    public GroupOptions java(List<String> words, String path) {
        return new GroupOptions(placement, instances, hasVirtualThreads, mailbox, launcher, directory, outputs, words,
                path, arrival, silence, grace);
    }

    /** Returns these options with times. */
    public GroupOptions times(Duration arrivalLimit, Duration silenceLimit, Duration graceLimit) {
        return new GroupOptions(placement, instances, hasVirtualThreads, mailbox, launcher, directory, outputs,
                javaWords, classPath, arrivalLimit, silenceLimit, graceLimit);
    }
}
