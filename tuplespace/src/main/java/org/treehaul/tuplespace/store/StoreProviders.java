// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/** Finds the provider of a store. */
@Internal
public final class StoreProviders {

    private StoreProviders() {}

    /**
     * Returns the only provider that accepts an address.
     *
     * @throws SpaceException PROVIDER if none or more than one does
     */
    public static StoreProvider of(SpaceUri uri) {
        Map<Class<?>, StoreProvider> accepting = new LinkedHashMap<>();
        find(uri, StoreProviders.class.getClassLoader(), accepting);
        // The jar of an application may be visible only to the loader of its thread.
        find(uri, Thread.currentThread().getContextClassLoader(), accepting);
        if (accepting.isEmpty()) {
            BundledStores.loader().ifPresent(loader -> find(uri, loader, accepting));
        }
        if (accepting.isEmpty()) {
            throw new SpaceException(SpaceException.Reason.PROVIDER,
                    "no store on the class path accepts " + uri.withoutPassword());
        }
        if (accepting.size() > 1) {
            throw new SpaceException(SpaceException.Reason.PROVIDER,
                    uri.withoutPassword() + " is accepted by more than one store on the class path: "
                            + accepting.keySet().stream().map(Class::getName).sorted().collect(joining(", ")));
        }
        return accepting.values().iterator().next();
    }

    /** Adds the providers that a loader finds and that accept an address. */
    private static void find(SpaceUri uri, @Nullable ClassLoader loader, Map<Class<?>, StoreProvider> accepting) {
        try {
            for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
                if (provider.accepts(uri)) {
                    accepting.putIfAbsent(provider.getClass(), provider);
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new SpaceException(SpaceException.Reason.PROVIDER, "a store of another jar cannot be loaded: "
                    + (e instanceof ServiceConfigurationError ? e.getMessage() : e), e);
        }
    }
}
