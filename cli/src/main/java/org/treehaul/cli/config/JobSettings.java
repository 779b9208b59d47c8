// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.treehaul.cli.common.UsageException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options for jobs as settings of a site or a user. Options have their long names without the dashes. */
public final class JobSettings {

    /** Options that turn work into jobs. */
    public static final List<String> MAKE_JOBS = List.of("scheduler", "jobs");

    /** Options that describe the jobs. */
    public static final List<String> SHAPE_JOBS = List.of("max-running", "queue", "walltime", "finish-queue",
            "finish-walltime", "requeue", "plan-in-job", "pre", "post", "on-complete", "publish", "strategy", "batches",
            "batch-files", "batch-bytes", "locality");

    /** All of them. */
    public static final List<String> NAMES = Stream.concat(MAKE_JOBS.stream(), SHAPE_JOBS.stream()).toList();

    // These have no meaning for the workers of a pool, which run already.
    private static final List<String> NOT_OF_POOL = List.of("queue", "finish-queue", "finish-walltime", "walltime",
            "requeue", "pre", "post", "plan-in-job");

    // These have no effect on jobs of this machine, which wait in no queue.
    private static final List<String> OF_QUEUE = List.of("queue", "finish-queue", "finish-walltime", "requeue");

    private static final List<String> REPEATED = List.of("queue", "finish-queue", "pre", "post");

    private JobSettings() {}

    /** Returns whether the arguments request jobs. */
    public static boolean makeJobs(String[] args) {
        return MAKE_JOBS.stream().anyMatch(name -> Configuration.isGiven(args, "--" + name));
    }

    /**
     * Returns whether a setting applies to the jobs that the arguments request: those for a queue are meant for a
     * cluster, not for jobs of this machine or a pool.
     */
    public static boolean suits(String setting, String[] args, Configuration configuration) {
        return !(OF_QUEUE.contains(setting) && isScheduler("local", args, configuration)
                || NOT_OF_POOL.contains(setting) && isScheduler("pool", args, configuration));
    }

    /** Returns whether the arguments, or else the settings, name this scheduler. */
    public static boolean isScheduler(String name, String[] args, Configuration configuration) {
        List<String> given = Configuration.valuesIn(args, "--scheduler");
        return given.isEmpty()
                ? configuration.settings()
                        .stream()
                        .anyMatch(one -> one.name().equals("scheduler") && one.value().equals(name))
                : given.getLast().equals(name);
    }

    /**
     * Returns the given options for jobs, and the state directory, in the form for a settings file.
     *
     * @param isRequeued the value of {@code --requeue}, which {@code --no-requeue} sets too
     * @throws UsageException if an option was given several times, which a setting cannot be
     */
    public static Map<String, String> toSave(CommandSpec command, boolean isRequeued) {
        ParseResult given = command.commandLine().getParseResult();
        Map<String, String> settings = new TreeMap<>();
        for (String name : Stream.concat(NAMES.stream(), Stream.of("state-dir", "space")).toList()) {
            OptionSpec option = given.matchedOption("--" + name);
            if (option == null) {
                continue;
            }
            List<String> values = option.originalStringValues();
            if (values.size() > 1 && REPEATED.contains(name)) {
                throw new UsageException(command.commandLine(),
                        "--save keeps one --" + name + " only; join them, or write them into a site's file");
            }
            settings.put(name, values.isEmpty() ? "true" : values.getLast().strip());
        }
        settings.computeIfPresent("requeue", (name, value) -> String.valueOf(isRequeued));
        return settings;
    }
}
