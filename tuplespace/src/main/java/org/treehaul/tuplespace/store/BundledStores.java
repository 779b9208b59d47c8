// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Enumeration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/**
 * Loads the stores that the executable jar contains together with their drivers, in a part of the jar that the JVM does
 * not search. So they cost nothing when they are not used, and the modules of Java that a driver could use, but does
 * not, need not be in the runtime. Classes of that part come before those of the same name on the class path.
 */
@Internal
public final class BundledStores extends ClassLoader {
    /** The part of the jar. The build of the executable jar moves the classes there. */
    public static final String PART = "META-INF/stores/";

    /** Made when it is first used: a class that was loaded twice would be two classes. */
    private static final class Holder {
        private static final @Nullable BundledStores ONLY = in(BundledStores.class.getClassLoader());
    }

    static {
        registerAsParallelCapable();
    }

    private BundledStores(ClassLoader parent) {
        super("stores", parent);
    }

    /** Returns the loader; empty if the program does not run from the executable jar. */
    static Optional<ClassLoader> loader() {
        return Optional.ofNullable(Holder.ONLY);
    }

    /** Returns a loader for the part of what another loader finds; null if there is none. */
    public static @Nullable BundledStores in(ClassLoader parent) {
        return parent.getResource(PART + "META-INF/services/" + StoreProvider.class.getName()) == null
                ? null
                : new BundledStores(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean isToResolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try (InputStream file = getParent().getResourceAsStream(PART + name.replace('.', '/') + ".class")) {
                if (file == null) {
                    return super.loadClass(name, isToResolve);
                }
                byte[] content = file.readAllBytes();
                return defineClass(name, content, 0, content.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Override
    protected @Nullable URL findResource(String name) {
        return getParent().getResource(PART + name);
    }

    @Override
    protected Enumeration<URL> findResources(String name) throws IOException {
        return getParent().getResources(PART + name);
    }
}
