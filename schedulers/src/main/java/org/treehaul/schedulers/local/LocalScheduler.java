// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.local;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.JobFiles;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.common.Cancelling;
import org.treehaul.schedulers.common.JobBody;
import org.treehaul.schedulers.common.Programs;

/**
 * Runs jobs as processes of this machine. A job's id is {@code pid:start@host}, where start is the process's start time
 * as the kernel counts it: it distinguishes the process from a later one that reuses the pid.
 */
final class LocalScheduler implements Scheduler {

    // The start time distinguishes a process from a later one that reuses the pid; the name before it may hold spaces.
    // A zombie counts as gone.
    private static final List<String> ENVIRONMENT = List.of("directory=$PWD", "job=$$", "index=$1", "shift", """
            alive() {
                local line
                { IFS= read -r line < "/proc/${1%%:*}/stat"; } 2> /dev/null || return
                read -r -a field <<< "${line##*) }"
                [[ ${field[19]} == "${1##*:}" && ${field[0]} != [ZX] ]]
            }
            for other; do
                while alive "$other"; do sleep $((SECONDS < 20 ? 0 : 1)).1; done
            done""");

    private final Programs programs;

    LocalScheduler(Programs programs) {
        this.programs = programs;
    }

    private record Id(String pid, String start, String host) {
        static Id of(String text) {
            String[] part = text.split("[:@]", 3);
            if (part.length != 3 || !part[0].matches("[0-9]+") || !part[1].matches("[0-9]+")) {
                throw new IllegalArgumentException("not the id of a local job: " + text);
            }
            return new Id(part[0], part[1], part[2]);
        }

        boolean isHere() throws SchedulerException {
            return host.equals(hostName());
        }
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public boolean namesLogsById() {
        return true;
    }

    @Override
    public List<Script> render(JobRequest request) {
        return List.of(script(request, JobFiles.name(request, 1)));
    }

    /**
     * Returns the script that all processes of a request run. Its arguments are the index of a worker and the processes
     * to wait for.
     */
    static Script script(JobRequest request, String name) {
        long limit = request.phase() == JobPhase.WORKER
                ? request.walltime().map(time -> time.minus(JobBody.notice(time)).toSeconds()).orElse(0L)
                : 0;
        List<String> environment = ENVIRONMENT.stream()
                .filter(line -> request.phase() == JobPhase.WORKER || !line.startsWith("index="))
                .toList();
        if (request.isRanks()) {
            environment = Stream.concat(environment.stream(), Stream.of("meet=" + name.replace(".sh", ""))).toList();
        }
        return new Script(name, "#!/bin/bash\n" + JobBody.of(request, environment, List.of(), true, limit, List.of()));
    }

    @Override
    public Submission submit(JobRequest request) throws SchedulerException {
        JobFiles.check(request);
        List<String> after = new ArrayList<>();
        for (String id : request.after()) {
            Id other = Id.of(id);
            if (!other.isHere()) {
                throw new SchedulerException("job " + id + " runs on another host");
            }
            after.add(other.pid() + ":" + other.start());
        }
        Script script = JobFiles.write(request, name -> script(request, name));
        // Workers claim batches until none is left, so fewer workers do the same work.
        int jobs = request.maxRunning() > 0 ? Math.min(request.maxRunning(), request.jobs()) : request.jobs();
        List<String> ids = new ArrayList<>();
        try {
            for (int i = 0; i < jobs; i++) {
                ids.add(start(request, script, request.firstIndex() + i, after));
            }
        } catch (SchedulerException failure) {
            throw failure.withSubmitted(ids);
        }
        return new Submission(name(), ids, jobs);
    }

    private String start(JobRequest request, Script script, int index, List<String> after) throws SchedulerException {
        List<String> command = new ArrayList<>();
        // The session detaches the jobs from the terminal, so that its ^C and hangup do not reach them.
        programs.find("setsid").ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(List.of(programs.find("bash").orElse(Path.of("/bin/bash")).toString(), JobFiles.relative(script),
                Integer.toString(index)));
        command.addAll(after);
        try {
            Process process = programs.prepare(command, request.directory())
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            String pid = Long.toString(process.pid());
            // If the process has ended already, any start time makes it count as gone.
            return pid + ":" + startTime(pid).orElse("0") + "@" + hostName();
        } catch (IOException failure) {
            throw new SchedulerException("cannot start a job: " + PrivateFiles.describe(failure));
        }
    }

    @Override
    public Map<String, JobState> states(Collection<String> ids) throws SchedulerException {
        Map<String, JobState> states = new LinkedHashMap<>();
        for (String text : ids) {
            Id id = Id.of(text);
            states.put(text, !id.isHere() ? JobState.UNKNOWN : runs(id) ? JobState.RUNNING : JobState.GONE);
        }
        return states;
    }

    @Override
    public List<String> reasons(Collection<String> ids) {
        return List.of();
    }

    @Override
    public void cancel(Collection<String> ids) throws SchedulerException {
        List<String> elsewhere = new ArrayList<>();
        for (String text : ids) {
            Id id = Id.of(text);
            if (!id.isHere()) {
                elsewhere.add(text);
            } else if (runs(id)) {
                ProcessHandle.of(Long.parseLong(id.pid())).ifPresent(ProcessHandle::destroy);
            }
        }
        if (!elsewhere.isEmpty()) {
            throw new SchedulerException(
                    "jobs of another host can only be cancelled there: " + String.join(" ", elsewhere));
        }
        Cancelling.untilGone(this::states, ids, "");
    }

    private static boolean runs(Id id) throws SchedulerException {
        return startTime(id.pid()).filter(id.start()::equals).isPresent();
    }

    /** Returns the start time of a process; empty if there is none, or only a zombie. */
    private static Optional<String> startTime(String pid) throws SchedulerException {
        try {
            // Fields 3 (state) and 22 (start) of proc_pid_stat(5); the name before them may hold any characters.
            String line = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            String[] field = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            return field[0].equals("Z") || field[0].equals("X") ? Optional.empty() : Optional.of(field[19]);
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        } catch (IOException failure) {
            // ESRCH: the process ended while its file was read.
            if (Files.exists(Path.of("/proc", pid))) {
                throw new SchedulerException("cannot see process " + pid + ": " + PrivateFiles.describe(failure));
            }
            return Optional.empty();
        }
    }

    private static String hostName() throws SchedulerException {
        try {
            return Host.name();
        } catch (IOException failure) {
            throw new SchedulerException("cannot find the name of this host: " + PrivateFiles.describe(failure));
        }
    }
}
