// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Runs one case with one tool, in fresh directories. */
final class Trial {

    /** A tool that takes longer counts as hanging; these cases copy for seconds. */
    static final Duration LONGEST = Duration.ofSeconds(60);

    private static final Duration LONGEST_STOP = Duration.ofMillis(20);
    private static final int NOT_YET = 3;
    private static final int AGAIN = 4;
    private static final int KILLED = 9;
    private static final int CANNOT = 77;

    private final TrustCase trust;
    private final Tool tool;
    private final Path directory;
    private final Path tmpfs;
    private final Shell shell;

    private Trial(TrustCase trust, Tool tool, Path jar, Path directory, Path tmpfs) {
        this.trust = trust;
        this.tool = tool;
        this.directory = directory;
        this.tmpfs = tmpfs;
        this.shell = new Shell(directory, tmpfs, jar, trust.source(), trust.target());
    }

    /** Runs the case and leaves no process, mount or file behind. */
    static Verdict of(TrustCase trust, Tool tool, Path jar) throws IOException, InterruptedException {
        for (String need : trust.needs()) {
            if (!need.equals("root") && !Tool.isOnPath(need)) {
                return Verdict.notRun("needs " + need);
            }
            if (need.equals("root") && !System.getProperty("user.name").equals("root")) {
                return Verdict.notRun("needs root");
            }
        }
        if (tool.line(trust.way()).isEmpty()) {
            return Verdict.notRun("the tool has no option for it");
        }
        Path directory = Files.createTempDirectory("treehaul-trust");
        Path tmpfs = Files.createTempDirectory(Path.of("/dev/shm"), "treehaul-trust");
        Trial trial = new Trial(trust, tool, jar, directory, tmpfs);
        try {
            return trial.run();
        } finally {
            trial.cleanUp();
        }
    }

    private Verdict run() throws IOException, InterruptedException {
        Shell.Result prepared = shell.result("chmod 755 \"$W\" \"$T\" && mkdir \"$W/home\" && chmod 777 \"$W/home\"\n"
                + "set -e\n" + trust.prepare());
        if (prepared.code() == CANNOT) {
            return Verdict.notRun(prepared.out().strip());
        }
        if (prepared.code() != 0) {
            throw new IOException(trust.id() + " cannot be prepared: " + prepared.err() + prepared.out());
        }
        Outcome outcome = copy(trust.wrapper() + " " + tool.line(trust.way()).orElseThrow(), trust.moment());
        // A tool that reaches the same result without the call has no error to report.
        if ((trust.wrapper().contains(":error=") || trust.wrapper().contains(":retval="))
                && !Files.readString(directory.resolve("log"), StandardCharsets.ISO_8859_1).contains("(INJECTED)")) {
            return Verdict.notRun("makes no such call");
        }
        Optional<String> second = Optional.ofNullable(trust.again()).flatMap(tool::line);
        if (second.isPresent() && !outcome.timedOut()) {
            outcome = copy(second.get(), null);
        }
        List<String> wrongs = outcome.timedOut() ? List.of() : trust.judge().wrongs(new Judge(shell, outcome));
        Verdict verdict = Verdict.of(trust.expected(), outcome, wrongs);
        if (!outcome.reached() && verdict.grade() == Verdict.Grade.RIGHT) {
            return new Verdict(verdict.grade(), verdict.text(),
                    "never came to that moment: no such call, or one for the whole file");
        }
        return verdict;
    }

    private Outcome copy(String line, @Nullable String moment) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        Path err = directory.resolve("err");
        Process process = shell.start("cd \"$W/home\" && export HOME=$PWD\n" + line, directory.resolve("out"), err);
        try {
            return watch(process, log, err, moment);
        } finally {
            signal("KILL", process);
        }
    }

    private Outcome watch(Process process, Path log, Path err, @Nullable String moment)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + LONGEST.toNanos();
        boolean reached = moment == null;
        boolean isOver = reached;
        boolean killed = false;
        long stops = 0;
        while (!process.waitFor(LONGEST_STOP.toMillis(), TimeUnit.MILLISECONDS) && System.nanoTime() < end) {
            long now = moment == null ? 0 : stops(log);
            if (moment != null && now > stops) {
                stops = now;
                int code = isOver ? NOT_YET : shell.result(moment).code();
                reached |= code != NOT_YET;
                isOver |= code != NOT_YET && code != AGAIN;
                killed |= code == KILLED;
                if (killed) {
                    // Stops all processes before it kills them, as when the node dies: otherwise one could clean up
                    // after another.
                    signal("STOP", process);
                }
                signal(killed ? "KILL" : "CONT", process);
            }
        }
        boolean timedOut = process.isAlive();
        signal("KILL", process);
        int code = process.waitFor();
        return new Outcome(code, timedOut, killed, reached, said(err));
    }

    // Signals the session, because a tool may have many processes, in several groups.
    private void signal(String signal, Process process) throws IOException, InterruptedException {
        shell.run("pkill -" + signal + " -s " + process.pid());
    }

    private static long stops(Path log) throws IOException {
        if (!Files.exists(log)) {
            return 0;
        }
        return Files.readString(log, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.contains("--- SIGSTOP {"))
                .count();
    }

    private String said(Path err) throws IOException {
        String said = Files.readString(err, StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
                        .replace(directory + "/", "")
                        .replace(tmpfs + "/", "")
                        .replaceAll("[^ -~]", "?")
                        .replaceFirst("^[0-9:]{8} ", "")
                        .strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("strace:") && !line.contains("job control"))
                .findFirst()
                .orElse("");
        return said.isEmpty() ? "" : "said “" + (said.length() > 100 ? said.substring(0, 100) + "…" : said) + "”";
    }

    private void cleanUp() throws IOException, InterruptedException {
        shell.run(
                "cd /; awk -v w=\"$W/\" -v t=\"$T/\" 'index($2, w) == 1 || index($2, t) == 1 { print $2 }' /proc/mounts"
                        + " | tac | xargs -r -n 1 umount -l; find \"$W\" -type d ! -perm -u=rwx -exec chmod u+rwx {} + 2>/dev/null;"
                        + " rm -rf -- \"$T\" \"$W\"");
    }
}
