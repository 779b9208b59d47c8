// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.Repetition;

/** The operations that other jars add. Safe for any number of threads. */
@Internal
public final class OperationProviders {

    private OperationProviders() {}

    static EntryOperation create(Operation.Custom custom) throws UnknownOperationException {
        // The jar of an application may be visible only to the loader of its thread.
        return create(custom,
                Stream.of(OperationProviders.class.getClassLoader(), Thread.currentThread().getContextClassLoader())
                        .filter(Objects::nonNull)
                        .toList());
    }

    /**
     * Creates an operation by the provider that one of several loaders finds.
     *
     * @throws UnknownOperationException if none has name, version and repetition, two providers do, or the provider
     *         refuses the parameters or fails
     */
    public static EntryOperation create(Operation.Custom custom, List<ClassLoader> loaders)
            throws UnknownOperationException {
        List<Provided> named = named(custom.name(), loaders);
        List<Provided> right = named.stream()
                .filter(one -> one.version() == custom.version() && one.repetition() == custom.repetition())
                .toList();
        if (right.isEmpty()) {
            throw new UnknownOperationException(shown(custom) + (named.isEmpty()
                    ? " is not found"
                    : " is not found, but " + named.stream()
                            .map(one -> "version " + one.version() + " (" + one.repetition() + ") of " + one.type())
                            .collect(Collectors.joining(", "))));
        }
        if (right.size() > 1) {
            throw new UnknownOperationException(shown(custom) + " is provided by "
                    + right.stream().map(Provided::type).collect(Collectors.joining(" and ")));
        }
        return create(custom, right.getFirst());
    }

    // Classes of other jars: any exception names the class, instead of ending the process without a report.
    private static EntryOperation create(Operation.Custom custom, Provided provided) throws UnknownOperationException {
        EntryOperation operation;
        try {
            operation = provided.provider().create(custom.parameters());
        } catch (IllegalArgumentException e) {
            throw new UnknownOperationException(shown(custom) + " refuses its parameters: " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError e) {
            throw new UnknownOperationException(shown(custom) + " cannot be created by " + provided.type() + ": " + e,
                    e);
        }
        if (operation == null) {
            throw new UnknownOperationException(
                    shown(custom) + " cannot be created: " + provided.type() + " returns null");
        }
        return operation;
    }

    /** A provider with the name, version and repetition that it returned. */
    private record Provided(OperationProvider provider, String name, int version, Repetition repetition) {

        static Provided of(OperationProvider provider) throws UnknownOperationException {
            try {
                return new Provided(provider, provider.name(), provider.version(), provider.repetition());
            } catch (RuntimeException | LinkageError e) {
                throw new UnknownOperationException(
                        "cannot load an operation from another jar: " + provider.getClass().getName() + ": " + e, e);
            }
        }

        String type() {
            return provider.getClass().getName();
        }
    }

    private static String shown(Operation.Custom custom) {
        return "operation '" + custom.name() + "' version " + custom.version() + " (" + custom.repetition() + ")";
    }

    private static List<Provided> named(String name, List<ClassLoader> loaders) throws UnknownOperationException {
        Map<Class<?>, Provided> all = new LinkedHashMap<>();
        try {
            for (ClassLoader loader : loaders) {
                for (OperationProvider provider : ServiceLoader.load(OperationProvider.class, loader)) {
                    Provided provided = Provided.of(provider);
                    if (name.equals(provided.name())) {
                        all.putIfAbsent(provider.getClass(), provided);
                    }
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new UnknownOperationException("cannot load an operation from another jar: "
                    + (e instanceof ServiceConfigurationError ? e.getMessage() : e)
                    + (e.getCause() == null ? "" : ": " + e.getCause()), e);
        }
        return new ArrayList<>(all.values());
    }
}
