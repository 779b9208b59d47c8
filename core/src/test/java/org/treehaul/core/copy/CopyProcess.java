// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.walk.options.Symlinks;

/**
 * A copy in a process of its own, which can be killed, or run as another user or with restrictions: prints READY, then
 * the reports of the copy, then COMPLETE or INCOMPLETE.
 */
public final class CopyProcess {

    /** A user without rights on files of others. */
    public static final int USER = 1234;

    /** The words before a command that make it run as this user. */
    public static final List<String> AS_USER = List.of("setpriv", "--reuid=" + USER, "--regid=" + USER,
            "--clear-groups");

    /** The words before a command as this user, with a umask that denies reading the directories that it creates. */
    public static final List<String> AS_MASKED_USER = Stream
            .concat(AS_USER.stream(), Stream.of("sh", "-c", "umask 0700 && exec \"$@\"", "sh"))
            .toList();

    private CopyProcess() {}

    /** The options of cp -r. */
    static final String PLAIN = "plain";

    /** The options of cp -r; the first entry that is done cancels the copy. */
    static final String CANCELLED = "cancelled";

    /** The options of cp -a --direct. */
    static final String DIRECT = "direct";

    /** The options of cp -a. */
    static final String ARCHIVE = "archive";

    /**
     * Copies the first argument to the second, with the number of threads in the third, and the options named by the
     * fourth.
     */
    public static void main(String[] args) {
        CopyOptions options = options(args[3]).threads(Integer.parseInt(args[2]))
                .chunkBytes(HostileTree.CHUNK_BYTES)
                .build();
        TreeCopier copier = TreeCopier.of(Linux.calls(), options);
        Cancellation cancellation = new Cancellation();
        System.out.println(Ready.LINE);
        CopyResult result = copier.copy(List.of(Copies.pair(Path.of(args[0]), Path.of(args[1]))), event -> {
            switch (event) {
                case Event.Failed e -> System.out.println("failed " + e.failure());
                case Event.Notice e -> System.out.println("notice " + e.text());
                case Event.Done e -> {
                    System.out.println("done " + e.destination());
                    cancellation.cancel();
                }
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Removed e -> System.out.println("removed " + e.path());
                case Event.Ran e -> System.out.println("ran " + e.path());
            }
        }, new Progress(), cancellation);
        System.out.println(result.isComplete() ? "COMPLETE" : "INCOMPLETE");
    }

    public static CopyOptionsBuilder options(String way) {
        return way.equals(PLAIN) || way.equals(CANCELLED)
                ? CopyOptions.builder().recursive(true).symlinks(Symlinks.NEVER).reportDone(way.equals(CANCELLED))
                : CopyOptions.archive().direct(way.equals(DIRECT));
    }

    /** Starts the process through a command, such as {@code setpriv ...}, that gets the rest as arguments. */
    public static Process start(List<String> by, String classPath, Copies copies, int threads, String way) {
        List<String> command = new ArrayList<>(by);
        command.addAll(JavaCommand.of(classPath, CopyProcess.class, copies.source(), copies.target(), threads, way));
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs the process to its end; returns its output after READY. */
    public static List<String> run(List<String> by, String classPath, Copies copies, int threads) {
        return run(by, classPath, copies, threads, ARCHIVE);
    }

    static List<String> run(List<String> by, String classPath, Copies copies, int threads, String way) {
        Process process = start(by, classPath, copies, threads, way);
        try {
            List<String> told = Ready.await(process).lines().toList();
            process.waitFor();
            return told;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
