// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;

/** The operations that other jars add. Any thread may call. */
@Internal
public final class OperationProviders {

    private OperationProviders() {}

    static EntryOperation create(Operation.Custom custom) throws UnknownOperationException {
        // The jar of an application may be visible only to the loader of its thread.
        return create(custom,
                List.of(OperationProviders.class.getClassLoader(), Thread.currentThread().getContextClassLoader()));
    }

    /**
     * Creates an operation by the provider that one of several loaders finds.
     *
     * @throws UnknownOperationException if none has name, version and repetition, two providers do, or the provider
     *         refuses the parameters
     */
    public static EntryOperation create(Operation.Custom custom, List<ClassLoader> loaders)
            throws UnknownOperationException {
        List<OperationProvider> named = named(custom.name(), loaders);
        List<OperationProvider> right = named.stream()
                .filter(one -> one.version() == custom.version() && one.repetition() == custom.repetition())
                .toList();
        if (right.isEmpty()) {
            throw new UnknownOperationException(shown(custom) + (named.isEmpty()
                    ? " is not found"
                    : " is not found, but " + named.stream()
                            .map(one -> "version " + one.version() + " (" + one.repetition() + ") of "
                                    + one.getClass().getName())
                            .collect(Collectors.joining(", "))));
        }
        if (right.size() > 1) {
            throw new UnknownOperationException(shown(custom) + " is provided by "
                    + right.stream().map(one -> one.getClass().getName()).collect(Collectors.joining(" and ")));
        }
        try {
            return right.getFirst().create(custom.parameters());
        } catch (IllegalArgumentException e) {
            throw new UnknownOperationException(shown(custom) + " refuses its parameters: " + e.getMessage(), e);
        }
    }

    private static String shown(Operation.Custom custom) {
        return "operation '" + custom.name() + "' version " + custom.version() + " (" + custom.repetition() + ")";
    }

    private static List<OperationProvider> named(String name, List<ClassLoader> loaders)
            throws UnknownOperationException {
        Map<Class<?>, OperationProvider> all = new LinkedHashMap<>();
        try {
            for (ClassLoader loader : loaders) {
                for (OperationProvider provider : ServiceLoader.load(OperationProvider.class, loader)) {
                    if (provider.name().equals(name)) {
                        all.putIfAbsent(provider.getClass(), provider);
                    }
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new UnknownOperationException("cannot load an operation from another jar: " + e.getMessage(), e);
        }
        return new ArrayList<>(all.values());
    }
}
