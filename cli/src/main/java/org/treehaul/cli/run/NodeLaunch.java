// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.OnComplete;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryTask.Outcome;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.schedulers.tasks.Launcher;

/**
 * Runs this program on each node of a stage, with the same arguments, and waits for all. Their outputs go to those of
 * this process.
 *
 * @param hosts the nodes
 * @param here the name of this node, where no launcher is needed
 */
record NodeLaunch(CommonOptions common, Session session, EventListener listener, List<String> hosts, String here) {

    /** Ends a script that has started a child and what watches it: waits for the child, also when a signal comes. */
    static final String WAIT = """
            while :; do
                wait $child
                code=$?
                kill -0 $child 2> /dev/null || break
            done
            kill $watch 2> /dev/null
            exit $code
            """;
    // Runs the words that follow it, and signals them for each line of its standard input; if that ends, so do they. ssh passes
    // no signals on, and srun would end the commands in progress.
    private static final String SIGNALLED = """
            trap : INT TERM HUP
            exec 3<&0
            "$@" < /dev/null 3<&- & child=$!
            { while read -r _; do kill -TERM $child; done; kill -TERM $child; sleep 1; kill -TERM $child; } <&3 2> /dev/null & watch=$!
            exec 3<&-
            """
            + WAIT;
    // Runs the words that follow it, whose bytes it decodes: Java would encode those that are not ASCII by the locale.
    private static final String DECODED = """
            n=$#
            while [ $n -gt 0 ]; do
                case $1 in
                *\\\\*) word=$(printf '%b.' "$1"); word=${word%.} ;;
                *) word=$1 ;;
                esac
                shift
                set -- "$@" "$word"
                n=$((n - 1))
            done
            exec "$@"
            """;
    /** Words that keep a program apart from the terminal, whose ^C would else reach it besides our signal. */
    static final List<String> APART = Files.isExecutable(Path.of("/usr/bin/setsid"))
            ? List.of("/usr/bin/setsid")
            : List.of();
    // Each node would write the whole file, or print between the lines of the others.
    private static final List<String> ONE_WRITER = List.of("--json", "--errors", "--metrics", "--log-file");
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Set<ExitCode> WORKED = EnumSet.of(ExitCode.DONE, ExitCode.INTERRUPTED, ExitCode.PARTIAL,
            ExitCode.UNSETTLED);

    /** Runs the work on nodes to which a launcher passes a standard input. */
    Outcome run(Launcher launcher) throws IOException {
        return run(launcher, Optional.empty());
    }

    /**
     * Runs the work on all nodes.
     *
     * @param stop the file by which those on other nodes are asked to end; empty if they have a standard input
     */
    Outcome run(Launcher launcher, Optional<StopFile> stop) throws IOException {
        for (String option : ONE_WRITER) {
            if (common.isGiven(option)) {
                throw common.usage(option + " cannot be used for several nodes; use it with --node HOST on each");
            }
        }
        // The nodes print their failures and counts.
        session.silence();
        session.flush();
        Map<String, Process> running = new ConcurrentHashMap<>();
        // A second signal ends the nodes at once, too.
        session.beforeHalt(() -> {
            stop.ifPresent(StopFile::signal);
            running.values().forEach(Process::destroy);
        });
        try {
            for (String host : hosts) {
                List<String> words = command(host, host.equals(here) ? Optional.empty() : stop);
                if (host.equals(here)) {
                    words.addAll(0, APART);
                }
                ProcessBuilder command = new ProcessBuilder(words).inheritIO()
                        .redirectInput(ProcessBuilder.Redirect.PIPE);
                running.put(host, launcher.start(host.equals(here) ? "" : host, command));
            }
            AtomicBoolean isToldToStop = new AtomicBoolean();
            running.forEach((host, process) -> await(host, process, () -> {
                // Once: a second signal would end the commands in progress.
                if (!isToldToStop.getAndSet(true)) {
                    stop.ifPresent(StopFile::signal);
                    running.values().forEach(NodeLaunch::signal);
                }
            }));
        } finally {
            running.values().forEach(Process::destroy);
        }
        return new Outcome(session.progress().snapshot(), !session.cancellation().isCancelled());
    }

    private static void signal(Process process) {
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            // It has ended.
        }
    }

    private void await(String host, Process process, Runnable stop) {
        boolean isInterrupted = false;
        while (true) {
            try {
                if (process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
            if (session.cancellation().isCancelled()) {
                stop.run();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        int code = process.exitValue();
        // A node whose commands failed for some files has done its part.
        if (WORKED.stream().anyMatch(one -> one.code() == code)) {
            session.progress().entryDone(EntryKind.DIRECTORY);
        } else if (code != ExitCode.TROUBLE.code()) {
            // The node has said nothing: this is a code of the launcher.
            session.screen().error(ByteString.printable(host) + ": the work on the node ended with " + code);
        }
        if (code != ExitCode.DONE.code()) {
            session.progress().entryFailed();
            listener.onEvent(new Event.Failed(EntryFailure.of(ByteString.of(ByteString.printable(host)),
                    TreePath.root(), new SystemCallException("the work on the node ended with " + code, 0))));
        }
    }

    // The command for the end is run once, here.
    private List<String> line() {
        List<String> given = common.line();
        int separator = given.indexOf("--");
        List<String> words = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            if (separator >= 0 && i > separator || !given.get(i).startsWith(OnComplete.OPTION + "=")) {
                words.add(given.get(i));
            }
        }
        return words;
    }

    private List<String> command(String host, Optional<StopFile> stop) {
        List<String> words = new ArrayList<>(
                List.of("sh", "-c", stop.isEmpty() ? SIGNALLED : StopFile.script(StopFile.SILENCE), "sh"));
        stop.ifPresent(file -> words.add(file.path().toString()));
        words.addAll(List.of("sh", "-c", DECODED, "sh"));
        // Other nodes may start commands in another directory.
        words.addAll(List.of("env", "-C", encoded(Path.of(""))));
        words.addAll(List.of(encoded(Path.of(System.getProperty("java.home"), "bin", "java")), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> encoded(Path.of(entry)))
                        .collect(Collectors.joining(File.pathSeparator)),
                "org.treehaul.cli.Main", "run", "--node", encoded(host.getBytes(StandardCharsets.UTF_8))));
        line().forEach(word -> words.add(encoded(ExactArguments.bytes(word))));
        return words;
    }

    private static String encoded(Path path) {
        return encoded(ByteString.of(path.toAbsolutePath()).toBytes());
    }

    // As printf(1) reads it.
    private static String encoded(byte[] word) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : word) {
            encoded.append(
                    b == '\\' ? "\\\\" : b > 0 ? String.valueOf((char) b) : "\\0" + Integer.toOctalString(b & 0xff));
        }
        return encoded.toString();
    }
}
