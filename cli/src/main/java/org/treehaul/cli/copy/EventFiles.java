// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.report.FailureLines;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The files that a command writes about its work: a log of all actions, and the list of failures. They are opened
 * before the work begins. Any thread may report events.
 */
public final class EventFiles implements EventListener, AutoCloseable {

    // Beyond this number a path may be listed twice, which is harmless: --files-from uses each path once.
    private static final int MOST_REMEMBERED = 100_000;
    private static final ByteString WAITING = ByteString.of(".new");
    private static final long FLUSH_NANOS = 1_000_000_000;

    private final CommandSpec command;
    private final Set<ByteString> listed = new HashSet<>();
    private @Nullable ByteString logPath;
    private @Nullable ByteString errorsPath;
    private @Nullable OutputStream log;
    private @Nullable OutputStream errors;
    private boolean isJson;
    // Whether the list of failures is also the list that is read; then failures wait in a file of their own.
    private boolean isKept;
    private boolean isDone;
    private long flushed;
    private List<CopyPair> pairs = List.of();
    private boolean hasOneSource;
    private @Nullable String problem;

    /** Adds the options to a command that copies. */
    public EventFiles(CommandSpec command) {
        this(command,
                "Write the path of each entry that failed to FILE, relative to its SOURCE and ended by NUL, for a "
                        + "later --files-from FILE -0. If FILE is named *.json or *.ndjson, write JSON objects with the cause "
                        + "instead.");
    }

    /**
     * Adds the options to a command.
     *
     * @param errorsHelp the description of {@code --errors}
     */
    public EventFiles(CommandSpec command, String errorsHelp) {
        this.command = command;
        Options.add(command, Options.value(ByteString.class, value -> logPath = value, "--log-file"), "FILE",
                "Append a line with the time to FILE for each entry that succeeded or failed.");
        Options.add(command, Options.value(ByteString.class, value -> errorsPath = value, "--errors"), "FILE",
                errorsHelp);
    }

    /** Returns whether a log was requested. */
    public boolean isLogged() {
        return logPath != null;
    }

    /** Returns the file of the log, if one was requested. */
    public Optional<ByteString> logFile() {
        return Optional.ofNullable(logPath);
    }

    /** Rejects both options when other processes do the work. */
    public void checkForJobs() {
        if (logPath != null || errorsPath != null) {
            throw new UsageException(command.commandLine(), (logPath != null ? "--log-file" : "--errors")
                    + " cannot be combined with jobs or --meet; 'treehaul errors --relative -0 ID' lists the failed entries");
        }
    }

    /**
     * Keeps the list of failures as it is until {@link #listIsDone}, if it is also the list of the paths to work on:
     * work that is refused, interrupted or killed must not lose paths. Called before {@link #open}.
     *
     * @param list the file that is read; null if there is none
     */
    public void readsList(@Nullable ByteString list) {
        if (list == null || errorsPath == null) {
            return;
        }
        try {
            Optional<FileStatus> read = ByteFiles.find(list);
            isKept = read.filter(status -> status.kind() == EntryKind.REGULAR).isPresent()
                    && ByteFiles.find(errorsPath).filter(read.get()::isSameFile).isPresent();
        } catch (IOException e) {
            // The error is reported when the file is opened.
            isKept = false;
        }
    }

    /** Lets the failures replace the list that was read, when this is closed. */
    public synchronized void listIsDone() {
        isDone = true;
    }

    /** Opens the files: continues the log, and begins a new list. Returns this object. */
    public EventFiles open(List<String> line) {
        log = open("--log-file", logPath, true);
        errors = open("--errors", isKept ? waiting() : errorsPath, false);
        String name = errorsPath == null ? "" : errorsPath.toString();
        isJson = name.endsWith(".json") || name.endsWith(".ndjson");
        log("begin", "treehaul " + command.name() + " " + CopyRequests.display(FreeText.unshield(line)));
        return this;
    }

    private ByteString waiting() {
        return Objects.requireNonNull(errorsPath).plus(WAITING);
    }

    private @Nullable OutputStream open(String option, @Nullable ByteString path, boolean isContinued) {
        if (path == null) {
            return null;
        }
        try {
            return new BufferedOutputStream(ByteFiles.create(path, isContinued), 64 * 1024);
        } catch (IOException e) {
            throw new UsageException(command.commandLine(), option + " " + path + ": " + e.getMessage());
        }
    }

    /**
     * Returns a listener that records each event here, then passes it on.
     *
     * @param printsEntries whether entries that succeeded are passed on too
     */
    public EventListener before(EventListener next, boolean printsEntries) {
        return event -> {
            onEvent(event);
            if (printsEntries || event instanceof Event.Failed || event instanceof Event.Notice) {
                next.onEvent(event);
            }
        };
    }

    /**
     * Sets the pairs to copy. For a single source, paths below it are listed; for several sources, the paths include
     * the source.
     *
     * @param unplaced the number of other sources, which are in no pair
     */
    synchronized void copies(List<CopyPair> all, int unplaced) {
        pairs = all;
        hasOneSource = all.size() + unplaced == 1;
    }

    /** Sets that there is one source, below which the paths are listed. */
    public synchronized void hasOneSource() {
        hasOneSource = true;
    }

    /** Sets the pairs to move. The listed paths are those of the sources, where entries that failed stay. */
    public synchronized void moves(List<CopyPair> all) {
        pairs = all;
    }

    @Override
    public synchronized void onEvent(Event event) {
        switch (event) {
            case Event.Failed failed -> failed(failed.failure());
            case Event.Notice notice -> log("notice", notice.text());
            case Event.Done done -> log(done.action(), done.source() + " -> " + done.destination());
            case Event.Removed removed -> log("remove", removed.path().toString());
            case Event.Ran ran -> log("run", ran.path().toString());
            case Event.Changed changed ->
                log(changed.isChange() ? "change" : "retain", changed.path() + ": " + Session.text(changed));
        }
    }

    private void failed(EntryFailure failure) {
        log("failed", failure.toString());
        OutputStream out = errors;
        if (out == null) {
            return;
        }
        ByteString path = sourcePath(failure);
        if (isJson) {
            write(out, FailureLines.json(failure, path));
        } else if (listed.size() >= MOST_REMEMBERED || listed.add(path)) {
            byte[] bytes = path.toBytes();
            byte[] ended = new byte[bytes.length + 1];
            System.arraycopy(bytes, 0, ended, 0, bytes.length);
            write(out, ended);
        }
    }

    // A failed call at the destination has the root of the destination; the path below it is the source's.
    private ByteString sourcePath(EntryFailure failure) {
        if (hasOneSource) {
            return FailureLines.below(failure);
        }
        ByteString root = pairs.stream()
                .filter(pair -> pair.target().equals(failure.root()))
                .map(pair -> pair.source().path())
                .findFirst()
                .orElse(failure.root());
        return failure.path().below(root);
    }

    private void log(String word, String text) {
        if (log == null) {
            return;
        }
        String time = Clock.systemUTC().instant().truncatedTo(ChronoUnit.MILLIS).toString();
        write(log, (time + " " + word + " " + text.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void write(OutputStream out, byte[] bytes) {
        try {
            out.write(bytes);
            long now = System.nanoTime();
            if (now - flushed > FLUSH_NANOS) {
                flushed = now;
                out.flush();
            }
        } catch (IOException e) {
            notWritten(out, e);
        }
    }

    private void notWritten(OutputStream out, IOException e) {
        if (problem == null) {
            problem = "cannot write to " + (Objects.equals(out, log) ? logPath : errorsPath) + ": " + e.getMessage()
                    + "; it is not complete";
        }
    }

    /**
     * Writes the exit code to the log and closes both files.
     *
     * @return the exit code of the command: {@code TROUBLE} if a file is not complete, which is reported
     */
    public synchronized ExitCode end(ExitCode code, Screen screen) {
        log("end", "exit code " + code.code() + ", " + code.name().toLowerCase(Locale.ROOT));
        close();
        if (problem == null) {
            return code;
        }
        screen.error(problem);
        return ExitCode.TROUBLE;
    }

    @Override
    public synchronized void close() {
        for (OutputStream out : new OutputStream[]{log, errors}) {
            if (out != null) {
                try {
                    out.close();
                } catch (IOException e) {
                    notWritten(out, e);
                }
            }
        }
        if (isKept && errors != null) {
            replaceList(errors);
        }
        log = null;
        errors = null;
    }

    private void replaceList(OutputStream out) {
        try {
            if (isDone && problem == null) {
                try (InputStream failed = ByteFiles.open(waiting())) {
                    ByteFiles.replace(Objects.requireNonNull(errorsPath), failed::transferTo);
                }
            }
            ByteFiles.remove(waiting());
        } catch (IOException e) {
            notWritten(out, e);
        }
    }
}
