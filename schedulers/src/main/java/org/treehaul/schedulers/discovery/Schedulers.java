// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.discovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.local.LocalProvider;
import org.treehaul.schedulers.pbs.PbsDialect;
import org.treehaul.schedulers.pbs.PbsProvider;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.slurm.SlurmProvider;

/**
 * The schedulers of TreeHaul, and the search among all providers: {@link #named} is the usual way to get one. Safe for
 * any number of threads.
 */
public final class Schedulers {

    private static final String AUTO = "auto";

    /**
     * Those of TreeHaul in the order of detection; Slurm comes first, because it brings a qsub that is not PBS. They
     * are listed here and not in a services file, because merging jars may lose such files.
     */
    private static final List<SchedulerProvider> FIRST = List.of(new LocalProvider(), new SlurmProvider(),
            new PbsProvider(), new PoolProvider());

    private Schedulers() {}

    /**
     * Returns the scheduler that starts processes on this machine, each in its own session; they outlive this process.
     */
    public static Scheduler local() {
        return local(System.getenv());
    }

    /** Returns {@link #local()} with the environment that its programs get. */
    public static Scheduler local(Map<String, String> environment) {
        return LocalProvider.scheduler(environment);
    }

    /** Returns Slurm. */
    public static Scheduler slurm() {
        return slurm(System.getenv());
    }

    /** Returns {@link #slurm()} with the environment in which its programs are looked up and run. */
    public static Scheduler slurm(Map<String, String> environment) {
        return SlurmProvider.scheduler(environment);
    }

    /** Returns a PBS of this dialect. */
    public static Scheduler pbs(PbsDialect dialect) {
        return pbs(dialect, System.getenv());
    }

    /** Returns {@link #pbs(PbsDialect)} with the environment in which its programs are looked up and run. */
    public static Scheduler pbs(PbsDialect dialect, Map<String, String> environment) {
        return PbsProvider.scheduler(dialect, environment);
    }

    /** Returns the scheduler of this machine, as {@link #named} does for {@code auto}. */
    public static Scheduler detect() throws SchedulerException {
        return named("auto", System.getenv());
    }

    /**
     * Returns all names that {@link #named} accepts: {@code auto}, those of TreeHaul, then those of other jars.
     *
     * @throws SchedulerException if a provider cannot be loaded, or two have the same name
     */
    public static List<String> names() throws SchedulerException {
        List<String> names = new ArrayList<>(List.of(AUTO));
        names.addAll(byName().keySet());
        return names;
    }

    /**
     * Returns the scheduler with this name: {@code local}, {@code slurm}, {@code pbs} (its version shows the dialect),
     * {@code openpbs}, {@code torque}, {@code pool:URI} with the address of the space of a pool, a name of another
     * jar's {@link SchedulerProvider}, or {@code auto}: Slurm if it answers, else PBS, else the one that a provider of
     * another jar detects.
     *
     * @throws SchedulerException if there is no such name, and the message lists the existing ones; if this machine has
     *         no such scheduler, and the message names the programs that were tried; or if two providers have the same
     *         name or detect a scheduler
     */
    public static Scheduler named(String name, Map<String, String> environment) throws SchedulerException {
        if (name.equals(AUTO)) {
            return detect(environment);
        }
        SchedulerProvider provider = byName().get(PoolProvider.isPool(name) ? PoolProvider.NAME : name);
        if (provider == null) {
            throw new SchedulerException("unknown scheduler '" + ByteString.printable(name) + "'; choose one of "
                    + String.join(", ", names()));
        }
        return provider.named(name, environment);
    }

    /** Asks the providers of TreeHaul in their order; then all others, of which only one may have found a scheduler. */
    private static Scheduler detect(Map<String, String> environment) throws SchedulerException {
        List<String> reasons = new ArrayList<>();
        Map<String, Scheduler> added = new TreeMap<>();
        for (SchedulerProvider provider : inOrder()) {
            String name = provider.names().getFirst();
            try {
                Scheduler found = provider.detect(environment);
                if (FIRST.contains(provider)) {
                    return found;
                }
                added.put(name, found);
            } catch (SchedulerException e) {
                if (!(provider instanceof LocalProvider || provider instanceof PoolProvider)) {
                    reasons.add(name + ": " + e.getMessage());
                }
            }
        }
        if (added.size() > 1) {
            throw new SchedulerException("this machine has several schedulers, " + String.join(" and ", added.keySet())
                    + ": choose one with --scheduler");
        }
        if (added.isEmpty()) {
            throw new SchedulerException("found no scheduler for batch jobs. " + String.join(". ", reasons)
                    + ". Use --scheduler local to run the jobs on this machine");
        }
        return added.values().iterator().next();
    }

    private static Map<String, SchedulerProvider> byName() throws SchedulerException {
        Map<String, SchedulerProvider> all = new LinkedHashMap<>();
        for (SchedulerProvider provider : inOrder()) {
            for (String name : provider.names()) {
                SchedulerProvider other = all.putIfAbsent(name, provider);
                if (other != null || name.equals(AUTO)) {
                    throw new SchedulerException("the scheduler '" + name + "' of " + provider.getClass().getName()
                            + (other == null
                                    ? " has a reserved name"
                                    : " is also provided by " + other.getClass().getName())
                            + ": remove one jar from the class path");
                }
            }
        }
        return all;
    }

    private static List<SchedulerProvider> inOrder() throws SchedulerException {
        Map<String, SchedulerProvider> added = new TreeMap<>();
        // The jar of an application may be visible only to the loader of its thread.
        for (ClassLoader loader : new ClassLoader[]{Schedulers.class.getClassLoader(),
                Thread.currentThread().getContextClassLoader()}) {
            try {
                for (SchedulerProvider provider : ServiceLoader.load(SchedulerProvider.class, loader)) {
                    added.put(firstName(provider) + " " + provider.getClass().getName(), provider);
                }
            } catch (ServiceConfigurationError | LinkageError e) {
                throw new SchedulerException("cannot load a scheduler from another jar: "
                        + (e instanceof ServiceConfigurationError ? e.getMessage() : e), e);
            }
        }
        List<SchedulerProvider> all = new ArrayList<>(FIRST);
        all.addAll(added.values());
        return all;
    }

    private static String firstName(SchedulerProvider provider) throws SchedulerException {
        try {
            return provider.names().getFirst();
        } catch (RuntimeException e) {
            throw new SchedulerException("cannot load a scheduler from another jar: " + provider.getClass().getName()
                    + " has no names: " + e, e);
        }
    }
}
