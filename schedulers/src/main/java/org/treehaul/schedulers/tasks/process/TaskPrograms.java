// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

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

import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskProvider;

/** The programs of tasks that jars provide. */
public final class TaskPrograms {

    private TaskPrograms() {}

    /**
     * Creates programs of tasks.
     *
     * @param name the name of the provider
     * @param count the number of tasks, of which each gets a program of its own
     * @throws TaskGroupException if there is no such provider, or more than one, or it refuses the parameters or fails
     */
    public static List<GroupTask> create(String name, SortedMap<String, String> parameters, int count)
            throws TaskGroupException {
        List<TaskProvider> found = named(name);
        if (found.size() != 1) {
            throw new TaskGroupException("the program '" + name + "' is "
                    + (found.isEmpty()
                            ? "not found: the class path has no TaskProvider of that name"
                            : "provided by " + found.stream()
                                    .map(provider -> provider.getClass().getName())
                                    .collect(Collectors.joining(" and "))));
        }
        List<GroupTask> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(create(name, found.getFirst(), parameters));
        }
        return tasks;
    }

    // Classes of other jars: any exception becomes one that names the program.
    private static GroupTask create(String name, TaskProvider provider, SortedMap<String, String> parameters)
            throws TaskGroupException {
        GroupTask task;
        try {
            task = provider.create(parameters);
        } catch (IllegalArgumentException e) {
            throw new TaskGroupException("the program '" + name + "' refuses its parameters: " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            throw new TaskGroupException("the program '" + name + "' cannot be created: " + e, e);
        }
        if (task == null) {
            throw new TaskGroupException(
                    "the program '" + name + "' cannot be created: " + provider.getClass().getName() + " returns null");
        }
        return task;
    }

    private static List<TaskProvider> named(String name) throws TaskGroupException {
        Map<Class<?>, TaskProvider> all = new LinkedHashMap<>();
        // The jar of an application may be visible only to the loader of its thread.
        List<ClassLoader> loaders = Stream
                .of(TaskPrograms.class.getClassLoader(), Thread.currentThread().getContextClassLoader())
                .filter(Objects::nonNull)
                .toList();
        try {
            for (ClassLoader loader : loaders) {
                for (TaskProvider provider : ServiceLoader.load(TaskProvider.class, loader)) {
                    if (name.equals(provider.name())) {
                        all.putIfAbsent(provider.getClass(), provider);
                    }
                }
            }
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
            throw new TaskGroupException("cannot load a program of tasks from another jar: "
                    + (e instanceof ServiceConfigurationError ? e.getMessage() : e), e);
        }
        return List.copyOf(all.values());
    }
}
