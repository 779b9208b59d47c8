// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tasks that other jars provide. Safe for any number of threads. */
public final class EntryTasks {

    /** A provider with the name and version that it returned. */
    private record Provided(EntryTaskProvider provider, String name, int version) {

        static Provided of(EntryTaskProvider provider) throws UnknownTaskException {
            try {
                return new Provided(provider, String.valueOf(provider.name()), provider.version());
            } catch (RuntimeException | LinkageError e) {
                throw new UnknownTaskException("cannot load a task: " + provider.getClass().getName() + ": " + e, e);
            }
        }

        String type() {
            return provider.getClass().getName();
        }
    }

    private EntryTasks() {}

    /** Returns the loaders that find providers: that of this program, and that of the thread. */
    public static List<ClassLoader> loaders() {
        return Stream.of(EntryTasks.class.getClassLoader(), Thread.currentThread().getContextClassLoader())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Finds the task with a name, in the version that there is, and tries its parameters.
     *
     * @throws UnknownTaskException if no loader finds it, several providers have the name, or the provider refuses the
     *         parameters or fails
     * @throws IllegalArgumentException if the name or a key of a parameter is not as it should be
     */
    public static JavaTask find(String name, SortedMap<String, String> parameters, List<ClassLoader> loaders)
            throws UnknownTaskException {
        // The name is checked first.
        JavaTask wanted = new JavaTask(name, 1, parameters);
        List<Provided> named = named(name, loaders);
        if (named.isEmpty()) {
            throw new UnknownTaskException("there is no task '" + name + "' in the jars");
        }
        JavaTask task = new JavaTask(name, only(named, "task '" + name + "'").version(), wanted.parameters());
        create(task, loaders);
        return task;
    }

    /**
     * Creates a task.
     *
     * @throws UnknownTaskException if no loader finds name and version, two providers have them, or the provider
     *         refuses the parameters or fails
     */
    public static EntryTask create(JavaTask task, List<ClassLoader> loaders) throws UnknownTaskException {
        List<Provided> named = named(task.name(), loaders);
        List<Provided> right = named.stream().filter(one -> one.version() == task.version()).toList();
        if (right.isEmpty()) {
            throw new UnknownTaskException(task + " is not found"
                    + (named.isEmpty()
                            ? ""
                            : ", but " + named.stream()
                                    .map(one -> "version " + one.version() + " of " + one.type())
                                    .collect(Collectors.joining(", "))));
        }
        return create(task, only(right, task.toString()));
    }

    private static Provided only(List<Provided> all, String what) throws UnknownTaskException {
        if (all.size() > 1) {
            throw new UnknownTaskException(
                    what + " is provided by " + all.stream().map(Provided::type).collect(Collectors.joining(" and ")));
        }
        return all.getFirst();
    }

    // Classes of other jars: any exception names the class, instead of ending the process without a report.
    private static EntryTask create(JavaTask task, Provided provided) throws UnknownTaskException {
        EntryTask created;
        try {
            created = provided.provider().create(task.parameters());
        } catch (IllegalArgumentException e) {
            throw new UnknownTaskException(task + " refuses its parameters: " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            throw new UnknownTaskException(task + " cannot be created by " + provided.type() + ": " + e, e);
        }
        if (created == null) {
            throw new UnknownTaskException(task + " cannot be created: " + provided.type() + " returns null");
        }
        return created;
    }

    private static List<Provided> named(String name, List<ClassLoader> loaders) throws UnknownTaskException {
        Map<Class<?>, Provided> all = new LinkedHashMap<>();
        try {
            for (ClassLoader loader : loaders) {
                for (EntryTaskProvider provider : ServiceLoader.load(EntryTaskProvider.class, loader)) {
                    Provided provided = Provided.of(provider);
                    if (name.equals(provided.name())) {
                        all.putIfAbsent(provider.getClass(), provided);
                    }
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new UnknownTaskException(
                    "cannot load a task: " + (e instanceof ServiceConfigurationError ? e.getMessage() : e)
                            + (e.getCause() == null ? "" : ": " + e.getCause()),
                    e);
        }
        return new ArrayList<>(all.values());
    }
}
