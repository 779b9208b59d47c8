// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

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
        // The jar of an application may be visible only to the loader of its thread.
        for (ClassLoader loader : new ClassLoader[]{StoreProviders.class.getClassLoader(),
                Thread.currentThread().getContextClassLoader()}) {
            try {
                for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
                    if (provider.accepts(uri)) {
                        accepting.putIfAbsent(provider.getClass(), provider);
                    }
                }
            } catch (ServiceConfigurationError e) {
                throw new SpaceException(SpaceException.Reason.PROVIDER,
                        "a store of another jar cannot be loaded: " + e.getMessage(), e);
            }
        }
        if (accepting.isEmpty()) {
            throw new SpaceException(SpaceException.Reason.PROVIDER, "no store on the class path accepts " + uri);
        }
        if (accepting.size() > 1) {
            throw new SpaceException(SpaceException.Reason.PROVIDER,
                    uri + " is accepted by more than one store on the class path: "
                            + accepting.keySet().stream().map(Class::getName).sorted().collect(joining(", ")));
        }
        return accepting.values().iterator().next();
    }
}
