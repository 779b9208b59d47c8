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

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.servers.OwnHost;
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
import org.treehaul.schedulers.common.net.PbsNodes;

/**
 * Runs jobs as processes of this machine. A job's id is {@code pid:start@host}, where start is the process's start time
 * as the kernel counts it: it distinguishes the process from a later one that reuses the pid.
 */
final class LocalScheduler implements Scheduler {

    // The start time distinguishes a process from a later one that reuses the pid; the name before it may hold spaces.
    // A zombie counts as gone. The script waits without a process: nothing is ever written into the pipe.
    private static final String WAIT = """
            alive() {
                local line
                { IFS= read -r line < "/proc/${1%%:*}/stat"; } 2> /dev/null || return
                read -r -a field <<< "${line##*) }"
                [[ ${field[19]} == "${1##*:}" && ${field[0]} != [ZX] ]]
            }
            (($# < @FIRST@)) || exec 9<> <(:)
            for other in "${@:@FIRST@}"; do
                while alive "$other"; do read -r -t $((SECONDS < 20 ? 0 : 1)).1 -u 9 _; done
            done
            exec 9>&-""";

    // This script starts itself on another host, with the name of its log as its second argument. It asks the other one to
    // end by closing its standard input, because ssh and the like pass no signals on. The words of the user are in a file.
    // A signal may come before there is an input to close. Programs of PBS pass none: it is /dev/null, and the job looks for
    // what ends it in the state directory only.
    private static final String SPREAD = """
            # shellcheck disable=SC2016,SC2034
            if [[ -z $2 ]]; then
                mapfile -t words < "launch/@SCRIPT@.words"
                command=(bash -c 'cd -- "$1" && exec bash "$2" "$3" "$4"' bash "$PWD" "launch/@SCRIPT@" "$index" "$job")
                if [[ ${words[0]} == shell ]]; then
                    q=\\' quoted="$q\\\\$q$q"
                    for i in "${!command[@]}"; do command[i]=$q${command[i]//$q/$quoted}$q; done
                fi
                on_signal() {
                    why=$1
                    if ((signals++)); then
                        kill -TERM "$child" 2> /dev/null
                    elif [[ -n $hold ]]; then
                        exec {hold}>&-
                    fi
                }
                exec {out}>&1
                coproc REMOTE { exec "${words[@]:1}" "${command[@]}" >&"$out"; }
                child=$REMOTE_PID hold=${REMOTE[1]}
                ((signals == 0)) || exec {hold}>&-
                await
                ((code == 0)) || say "the job on @HOST@ ended with $code"
                exit "$code"
            fi
            [[ -c /dev/stdin ]] || { IFS= read -r -d '' _; kill -TERM $$; } <&0 &
            watch=$!""";

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
            return OwnHost.isOne(host, hostName());
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
    public boolean placesJobs() {
        return true;
    }

    @Override
    public List<Script> render(JobRequest request) {
        return List.of(script(request, JobFiles.name(request, 1)));
    }

    /**
     * Returns the script that all processes of a request run. Its arguments are the index of a worker, only for a job
     * on another host the name of its log or nothing, and the processes to wait for.
     */
    static Script script(JobRequest request, String name) {
        long limit = request.phase() == JobPhase.WORKER
                ? request.walltime().map(time -> time.minus(JobBody.notice(time)).toSeconds()).orElse(0L)
                : 0;
        boolean isElsewhere = !request.host().isEmpty();
        List<String> environment = new ArrayList<>(List.of("directory=$PWD", isElsewhere ? "job=${2:-$$}" : "job=$$"));
        if (request.phase() == JobPhase.WORKER) {
            environment.add("index=$1");
        }
        environment.add(WAIT.replace("@FIRST@", isElsewhere ? "3" : "2"));
        if (request.isRanks()) {
            environment.add("meet=" + name.replace(".sh", ""));
        }
        return new Script(name, "#!/bin/bash\n" + JobBody.of(request, environment,
                isElsewhere ? List.of(SPREAD.replace("@SCRIPT@", name).replace("@HOST@", request.host())) : List.of(),
                true, limit, isElsewhere ? List.of("kill \"$watch\" 2> /dev/null") : List.of()));
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
        JobRequest placed = request.host().isEmpty() || isHere(request.host()) ? request.at("") : request;
        List<String> words = placed.host().isEmpty() ? List.of() : words(placed);
        Script script = JobFiles.write(placed, name -> script(placed, name));
        if (!words.isEmpty()) {
            write(request.directory().resolve(JobFiles.relative(script) + ".words"), words);
        }
        // Workers claim batches until none is left, so fewer workers do the same work.
        int jobs = request.maxRunning() > 0 ? Math.min(request.maxRunning(), request.jobs()) : request.jobs();
        List<String> ids = new ArrayList<>();
        try {
            for (int i = 0; i < jobs; i++) {
                ids.add(start(placed, script, request.firstIndex() + i, after));
            }
        } catch (SchedulerException failure) {
            throw failure.withSubmitted(ids);
        }
        return new Submission(name(), ids, jobs);
    }

    private static boolean isHere(String host) {
        return OwnHost.here().isAmong(List.of(host));
    }

    // The words that start a program on a host, after one that says whether a shell reads what follows them.
    private static List<String> words(JobRequest request) throws SchedulerException {
        if (request.options().isEmpty() || request.options().getLast().isBlank()) {
            throw new SchedulerException("the data are on " + request.host()
                    + ": name a program that starts a job there, such as --queue 'ssh {host}'");
        }
        List<String> given = List.of(request.options().getLast().strip().split(" +", -1));
        String name = PbsNodes.name(given.getFirst(), request.host());
        List<String> words = new ArrayList<>(given.stream().map(word -> word.replace("{host}", name)).toList());
        words.addFirst(Programs.isRemoteShell(words.getFirst()) ? "shell" : "program");
        return words;
    }

    private static void write(Path file, List<String> lines) throws SchedulerException {
        try {
            PrivateFiles.write(file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new SchedulerException("cannot write the job script: " + PrivateFiles.describe(failure));
        }
    }

    private String start(JobRequest request, Script script, int index, List<String> after) throws SchedulerException {
        List<String> command = new ArrayList<>();
        // The session detaches the jobs from the terminal, so that its ^C and hangup do not reach them.
        programs.find("setsid").ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(List.of(programs.find("bash").orElse(Path.of("/bin/bash")).toString(), JobFiles.relative(script),
                Integer.toString(index)));
        if (!request.host().isEmpty()) {
            command.add("");
        }
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
