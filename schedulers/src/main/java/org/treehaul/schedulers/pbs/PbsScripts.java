// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pbs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.common.JobArray;
import org.treehaul.schedulers.common.JobBody;

/** Job scripts for PBS in both dialects. */
final class PbsScripts {

    private static final Pattern WALLTIME = Pattern.compile("\\bwalltime=(?:(?:(\\d+):)?(\\d+):)?(\\d+)\\b");
    private static final Pattern RESOURCES = Pattern.compile("(?:^|\\s)-l\\s*(\\S+)");
    private static final Pattern RESOURCE = Pattern.compile("(?:^|,)([A-Za-z_][A-Za-z0-9_]*)=");
    // Resources that a job with select may still request as a whole; OpenPBS refuses ncpus, mem, nodes and others
    // beside select.
    private static final Set<String> OF_THE_JOB = Set.of("walltime", "min_walltime", "max_walltime", "cput", "pcput",
            "place", "software", "nice");
    // Torque accepts only one of these words for nodes, and other resources beside it.
    private static final Set<String> NODES = Set.of("nodes", "procs", "size", "select");

    // This script is rank 0, on the first node; it starts itself on the other nodes and passes all values that may be
    // unknown there. pbsdsh counts the lines of the node file, which may list a node several times.
    private static final String SPREAD = """
            if [[ -z $1 ]]; then
                mapfile -t lines < "$PBS_NODEFILE"
                declare -A first
                for i in "${!lines[@]}"; do : "${first[${lines[i]}]:=$i}"; done
                type pbsdsh > /dev/null || { say "$HOSTNAME has no pbsdsh on the PATH, which is needed to start ranks on other nodes"; exit 2; }
                ((${#first[@]} == @RANKS@)) || { say "there are ${#first[@]} nodes for @RANKS@ ranks"; exit 2; }
                for i in "${!lines[@]}"; do
                    ((i > 0 && first[${lines[i]}] == i)) || continue
                    index=$((index + 1))
                    pbsdsh -n "$i" -- /bin/bash "$PWD/launch/@SCRIPT@" "$index" "$meet" "$PWD" "$PBS_JOBID" &
                done
                index=0
            fi""";

    private PbsScripts() {}

    /** Returns the script of an array. */
    static Script render(PbsDialect dialect, JobRequest request, JobArray array, List<String> after, String name) {
        boolean open = dialect == PbsDialect.OPENPBS;
        List<String> lines = new ArrayList<>(request.options());
        // Without it PBS runs the script in the user's login shell, whatever its first line is.
        lines.add("-S /bin/bash");
        lines.add("-N " + request.jobName());
        lines.add("-j oe");
        // PBS delivers its log only when the job ends, so it holds only messages from before the script opens its own.
        lines.add("-o log/");
        if (array.isArray()) {
            lines.add((open ? "-J " : "-t ") + array.range());
        }
        Set<String> requested = resources(request);
        if (open ? OF_THE_JOB.containsAll(requested) : requested.stream().noneMatch(NODES::contains)) {
            lines.add(request.host().isEmpty()
                    ? (open ? "-l select=" : "-l nodes=") + (request.isRanks() ? request.jobs() : 1)
                    : (open ? "-l select=1:host=" : "-l nodes=") + request.host());
            if (open && request.isRanks() && !requested.contains("place")) {
                lines.add("-l place=scatter");
            }
        }
        if (open && !request.host().isEmpty() && lines.stream().noneMatch(line -> line.startsWith("-l select=1:"))) {
            // OpenPBS refuses it beside select, so that the job does not go to another host.
            lines.add("-l host=" + request.host());
        }
        request.walltime().ifPresent(limit -> lines.add("-l walltime=" + JobBody.clock(limit)));
        if (!after.isEmpty()) {
            lines.add("-W depend=" + dependency(dialect, after));
        }
        List<String> environment = new ArrayList<>();
        environment.add(request.isRanks() ? "directory=${3:-$PBS_O_WORKDIR}" : "directory=$PBS_O_WORKDIR");
        if (request.isRanks()) {
            environment.add("index=${1:-0}");
        } else if (request.phase() == JobPhase.WORKER) {
            String index = open ? "PBS_ARRAY_INDEX" : "PBS_ARRAYID";
            environment.add("index=$((" + array.firstIndex() + " + ${" + index + ":-0}))");
        }
        if (request.isRanks()) {
            environment.addAll(
                    List.of("job=${4:-$PBS_JOBID}", "job=${job%%.*}", "meet=${2:-$job.$RANDOM}", "job+=_$index"));
        } else {
            // 2[3].host becomes 2_3, which is Slurm's notation.
            environment.addAll(List.of("job=${PBS_JOBID%%.*}", "job=${job/[/_}", "job=${job/]/}"));
        }
        long limit = request.phase() == JobPhase.WORKER
                ? limit(request).map(time -> time.minus(JobBody.notice(time)).toSeconds()).orElse(0L)
                : 0;
        StringBuilder text = new StringBuilder("#!/bin/bash\n");
        lines.forEach(line -> text.append("#PBS ").append(line).append('\n'));
        List<String> spread = request.isRanks()
                ? List.of(SPREAD.replace("@RANKS@", Integer.toString(request.jobs())).replace("@SCRIPT@", name))
                : List.of();
        // PBS would kill the other ranks when this script ends.
        List<String> end = request.isRanks() ? List.of("wait") : List.of();
        text.append(JobBody.of(request, environment, spread, true, limit, end));
        return new Script(name, text.toString());
    }

    /** Returns whether the options request nodes by themselves, beside which no host can be requested. */
    static boolean requestsNodes(JobRequest request) {
        return resources(request).stream().anyMatch(NODES::contains);
    }

    /** Returns the names of the resources that the options request. */
    private static Set<String> resources(JobRequest request) {
        return request.options()
                .stream()
                .flatMap(line -> RESOURCES.matcher(line).results())
                .flatMap(list -> RESOURCE.matcher(list.group(1)).results())
                .map(resource -> resource.group(1))
                .collect(Collectors.toSet());
    }

    // PBS sends TERM only at the time limit, and KILL ten seconds later, so the script watches the clock itself.
    private static Optional<Duration> limit(JobRequest request) {
        if (request.walltime().isPresent()) {
            return request.walltime();
        }
        Duration found = Duration.ZERO;
        for (String line : request.options()) {
            Matcher matcher = WALLTIME.matcher(line);
            if (matcher.find()) {
                found = Duration.ofHours(number(matcher.group(1)))
                        .plusMinutes(number(matcher.group(2)))
                        .plusSeconds(number(matcher.group(3)));
            }
        }
        return found.isZero() ? Optional.empty() : Optional.of(found);
    }

    private static long number(@Nullable String digits) {
        return digits == null || digits.length() > 9 ? 0 : Long.parseLong(digits);
    }

    /** Returns a dependency on the end of jobs; Torque has a keyword of its own for arrays. */
    static String dependency(PbsDialect dialect, List<String> after) {
        if (dialect == PbsDialect.OPENPBS) {
            return "afterany:" + String.join(":", after);
        }
        List<String> arrays = after.stream().filter(id -> id.contains("[")).toList();
        List<String> jobs = after.stream().filter(id -> !id.contains("[")).toList();
        List<String> parts = new ArrayList<>();
        if (!jobs.isEmpty()) {
            parts.add("afterany:" + String.join(":", jobs));
        }
        if (!arrays.isEmpty()) {
            parts.add("afteranyarray:" + String.join(":", arrays));
        }
        return String.join(",", parts);
    }
}
