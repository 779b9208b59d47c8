// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Selects from the workers' options those that suit a single job of one process. Keeps the options for the place and
 * the account of the job, and every unknown option; omits those for the number of nodes, tasks and GPUs, for the time
 * limit, and for holding the job.
 */
public final class OneJobOptions {

    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+");
    private static final Pattern LONG = Pattern.compile("--([a-z-]+)(=.*)?");
    private static final Pattern SHORT = Pattern.compile("-([A-Za-z])(.*)");
    // Slurm's options; those for memory stay, because its default may be less than a JVM needs.
    private static final Set<String> LONG_LEFT_OUT = Set.of("nodes", "ntasks", "ntasks-per-node", "ntasks-per-core",
            "ntasks-per-socket", "ntasks-per-gpu", "cpus-per-task", "cpus-per-gpu", "gpus", "gpus-per-node",
            "gpus-per-task", "gpus-per-socket", "gres", "tres-per-task", "cores-per-socket", "sockets-per-node",
            "threads-per-core", "exclusive", "time", "time-min", "hold", "begin", "dependency", "array", "requeue");
    private static final Set<String> WITHOUT_VALUE = Set.of("exclusive", "hold", "requeue");
    private static final String SHORT_LEFT_OUT_BY_SLURM = "NncGtHbda";
    private static final String SHORT_LEFT_OUT_BY_PBS = "haJt";
    private static final String SHORT_WITHOUT_VALUE = "Hh";
    // A chunk of OpenPBS, or a node of Torque.
    private static final Pattern CHUNK = Pattern.compile("(select|nodes)=[^,]*");
    private static final Pattern OF_A_CHUNK = Pattern
            .compile(":(?:ngpus|gpus|mpiprocs|ompthreads|ncpus)=[^:+,]*|:ppn=[0-9]+");
    private static final Set<String> RESOURCES_LEFT_OUT = Set.of("walltime", "min_walltime", "max_walltime", "cput",
            "place", "ncpus", "ngpus", "nodect", "procs", "mpiprocs");

    private OneJobOptions() {}

    /** Returns the options for one job. */
    public static List<String> of(String scheduler, List<String> lines) {
        return lines.stream().map(line -> of(scheduler.equals("slurm"), line)).filter(line -> !line.isEmpty()).toList();
    }

    private static String of(boolean isSlurm, String line) {
        List<String> words = WORD.matcher(line).results().map(MatchResult::group).toList();
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            Matcher isLong = LONG.matcher(word);
            Matcher isShort = SHORT.matcher(word);
            if (isSlurm && isLong.matches() && LONG_LEFT_OUT.contains(isLong.group(1))) {
                i += isLong.group(2) == null && !WITHOUT_VALUE.contains(isLong.group(1)) ? 1 : 0;
            } else if (isShort.matches()
                    && (isSlurm ? SHORT_LEFT_OUT_BY_SLURM : SHORT_LEFT_OUT_BY_PBS).contains(isShort.group(1))) {
                i += isShort.group(2).isEmpty() && !SHORT_WITHOUT_VALUE.contains(isShort.group(1)) ? 1 : 0;
            } else if (!isSlurm && isShort.matches() && isShort.group(1).equals("l")) {
                boolean isApart = isShort.group(2).isEmpty() && i + 1 < words.size();
                i += isApart ? 1 : 0;
                resources(isApart ? words.get(i) : isShort.group(2)).ifPresent(list -> kept.add("-l " + list));
            } else {
                kept.add(word);
            }
        }
        return String.join(" ", kept);
    }

    private static Optional<String> resources(String list) {
        String left = Stream.of(list.split(",(?=[A-Za-z_]+=)", -1))
                .filter(resource -> !RESOURCES_LEFT_OUT.contains(resource.replaceFirst("=.*", "")))
                .map(resource -> CHUNK.matcher(resource).matches() ? chunk(resource) : resource)
                .filter(resource -> !resource.isEmpty())
                .collect(Collectors.joining(","));
        return left.isEmpty() ? Optional.empty() : Optional.of(left);
    }

    // Returns one chunk like the first; empty if only the number remains, since the script then requests one itself.
    private static String chunk(String resource) {
        String[] part = resource.split("=", 2);
        String first = OF_A_CHUNK.matcher(part[1].replaceFirst("\\+.*", "")).replaceAll("");
        String rest = first.replaceFirst("^[0-9]+", "");
        boolean isName = !first.isEmpty() && !Character.isDigit(first.charAt(0));
        return isName ? part[0] + "=" + first : rest.isEmpty() ? "" : part[0] + "=1" + rest;
    }
}
