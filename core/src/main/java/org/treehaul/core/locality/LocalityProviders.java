// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

import org.jspecify.annotations.Nullable;

/** Finds the providers of layouts. */
final class LocalityProviders {

    private LocalityProviders() {}

    /** Returns those of other jars, then those of TreeHaul. */
    static List<LocalityProvider> all() throws LayoutException {
        Map<Class<?>, LocalityProvider> found = new LinkedHashMap<>();
        find(LocalityProviders.class.getClassLoader(), found);
        // The jar of an application may be visible only to the loader of its thread.
        find(Thread.currentThread().getContextClassLoader(), found);
        List<LocalityProvider> all = new ArrayList<>(found.values());
        all.add(new GlusterLocality());
        all.add(new LustreLocality());
        all.add(new CephLocality());
        all.add(new MooseLocality());
        return List.copyOf(all);
    }

    private static void find(@Nullable ClassLoader loader, Map<Class<?>, LocalityProvider> found)
            throws LayoutException {
        try {
            for (LocalityProvider provider : ServiceLoader.load(LocalityProvider.class, loader)) {
                found.putIfAbsent(provider.getClass(), provider);
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new LayoutException("cannot load a provider of layouts from another jar: "
                    + (e instanceof ServiceConfigurationError ? e.getMessage() : e));
        }
    }
}
