// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.transfer.directory.StateDirectory;

/**
 * A file by which this process asks those on other nodes to end, where nothing passes them a standard input. It has the
 * number of signals, and a number that changes while this process lives. Thread-safe.
 */
final class StopFile implements AutoCloseable {

    /** The time after which a process whose file does not change counts as gone: six beats. */
    static final Duration SILENCE = Duration.ofSeconds(30);

    // Runs the words after the path of the file, and signals them once for each signal in it. They are ended if the file is
    // gone, or does not change. A line that is read while it is written has no end.
    private static final String SCRIPT = """
            trap : INT TERM HUP
            line=$1
            shift
            if [ ! -r "$line" ]; then
                echo "treehaul: $(hostname) cannot see $line: all nodes must share the state directory" >&2
                exit 2
            fi
            "$@" < /dev/null & child=$!
            {
                seen=0 last= silent=0
                while [ -e "$line" ] && [ $silent -lt @SILENCE@ ]; do
                    sleep 1
                    silent=$((silent + 1))
                    read -r signals beat < "$line" || continue
                    [ "$beat" = "$last" ] || silent=0
                    last=$beat
                    if [ "$signals" -gt $seen ]; then
                        seen=$((seen + 1))
                        kill -TERM $child
                    fi
                done
                kill -TERM $child
                sleep 1
                kill -TERM $child
            } > /dev/null 2>&1 & watch=$!
            """ + NodeLaunch.WAIT;

    private static final String PREFIX = "run-";
    private static final String SUFFIX = ".stop";
    private static final Duration BEAT = Duration.ofSeconds(5);
    // Much longer than a process is silent.
    private static final Duration OLD = Duration.ofHours(1);

    private final Path file;
    private final ScheduledExecutorService beats = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("treehaul-stop-file").factory());
    private int signals;
    private long beat;

    private StopFile(Path file) {
        this.file = file;
    }

    /** Makes the file in the state directory, and removes those of processes that were killed. */
    static StopFile make(Path state) throws IOException {
        Path directory = StateDirectory.make(state);
        try (DirectoryStream<Path> others = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (Path other : others) {
                removeOld(other);
            }
        }
        StopFile made = new StopFile(PrivateFiles.makeTemporaryFile(directory, PREFIX, SUFFIX));
        made.write();
        var _ = made.beats.scheduleAtFixedRate(made::writeQuietly, BEAT.toMillis(), BEAT.toMillis(),
                TimeUnit.MILLISECONDS);
        return made;
    }

    private static void removeOld(Path file) {
        try {
            if (Files.getLastModifiedTime(file).toInstant().isBefore(Instant.now().minus(OLD))) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // Another process has removed it, or will.
            return;
        }
    }

    Path path() {
        return file;
    }

    /**
     * Returns a script for sh(1), which runs a command.
     *
     * @param silence the time after which it ends the command if the file does not change, in whole seconds
     * @return the script; its arguments are the path of the file and the words of the command
     */
    static String script(Duration silence) {
        return SCRIPT.replace("@SILENCE@", Long.toString(silence.toSeconds()));
    }

    /** Asks the processes once more to end. */
    synchronized void signal() {
        signals++;
        writeQuietly();
    }

    private void writeQuietly() {
        try {
            write();
        } catch (IOException e) {
            // The next beat tries it again; if all fail, the processes end by themselves.
            return;
        }
    }

    private synchronized void write() throws IOException {
        PrivateFiles.write(file, (signals + " " + ++beat + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Removes the file: processes that still run end. */
    @Override
    public void close() {
        beats.close();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // A later run removes it.
            return;
        }
    }
}
