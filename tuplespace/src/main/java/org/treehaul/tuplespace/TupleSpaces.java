// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.ServiceLoader;

import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.StoreProvider;

/**
 * Opens spaces.
 * <p>
 * Whoever opened a space closes it. A space in memory is gone when it was closed as often as it was opened; a durable
 * one stays in its directory.
 */
public final class TupleSpaces {
    /** Those in memory that have a name. Guarded by itself. */
    private static final Map<String, Shared> NAMED = new HashMap<>();

    private static final class Shared {
        private final Space space;
        private int users;

        Shared(Space space) {
            this.space = space;
        }
    }

    private TupleSpaces() {}

    /** Makes a space in memory that nobody else can open. */
    public static TupleSpace memory() {
        return memory(SpaceOptions.defaults());
    }

    /** Makes a space in memory that nobody else can open. */
    public static TupleSpace memory(SpaceOptions options) {
        return inMemory(options);
    }

    private static Space inMemory(SpaceOptions options) {
        return Space.over(listener -> new MemoryStore(options.store(), listener), options);
    }

    /**
     * Opens the space of a symbolic name, and makes it where there is none: in the memory of this process, where any of
     * its threads finds it; or, when the name contains a slash, the durable one in the directory of that path, which
     * other processes find too.
     *
     * @param options of a space in memory those of its first opener count
     */
    public static TupleSpace open(String name, SpaceOptions options) {
        if (name.contains("/")) {
            return open(Path.of(name), options);
        }
        synchronized (NAMED) {
            Shared shared = NAMED.computeIfAbsent(name, missing -> new Shared(inMemory(options)));
            shared.users++;
            return new NamedSpace(shared.space, () -> release(name, shared));
        }
    }

    private static void release(String name, Shared shared) {
        synchronized (NAMED) {
            if (--shared.users > 0) {
                return;
            }
            NAMED.remove(name, shared);
        }
        shared.space.close();
    }

    /**
     * Opens the durable space in a directory, and makes both where there is none.
     *
     * @throws SpaceException when that fails; what there was stays as it was. UNSAFE when the directory or the space
     *         belongs to another user, or others can write to it
     */
    public static TupleSpace open(Path directory, SpaceOptions options) {
        StoreProvider provider = provider();
        return Space.over(listener -> provider.open(directory, options.store(), listener), options);
    }

    /**
     * Opens the durable space in a directory.
     *
     * @throws SpaceException ABSENT when there is none
     */
    public static TupleSpace openExisting(Path directory, SpaceOptions options) {
        if (!exists(directory)) {
            throw new SpaceException(SpaceException.Reason.ABSENT, "there is no tuple space in " + directory);
        }
        return open(directory, options);
    }

    /**
     * Opens the durable space in a directory for reading: operations that would change it fail as DENIED. For others
     * than its owner, where they may read its files, and on file systems that are mounted read only. Where the space is
     * not open elsewhere they see it as it is then, and a change by its owner ends what they read as BUSY.
     *
     * @throws SpaceException ABSENT when there is none
     */
    public static TupleSpace openToRead(Path directory, SpaceOptions options) {
        StoreProvider provider = provider();
        return Space.over(listener -> provider.openToRead(directory, options.store(), listener), options);
    }

    /**
     * Reads the whole durable space in a directory and says what is damaged: pages, indexes, and tuples that do not
     * match their checksums. It changes nothing.
     *
     * @throws SpaceException when it cannot be read at all; ABSENT when there is none
     */
    public static Inspection check(Path directory) {
        return provider().check(directory);
    }

    /** Tells whether a directory holds a durable space, of whatever state. */
    public static boolean exists(Path directory) {
        return provider().isIn(directory);
    }

    /**
     * Begins to fill a durable space that does not exist yet.
     *
     * @throws SpaceException when there is one, or it cannot be made
     */
    public static BulkLoad bulkLoad(Path directory, SpaceOptions options) {
        return provider().load(directory, options.store());
    }

    /** Copies what can be read of a damaged durable space to a new one, and leaves the damaged one as it is. */
    public static Recovery recover(Path damaged, Path target, SpaceOptions options) {
        return provider().recover(damaged, target, options.store());
    }

    private static StoreProvider provider() {
        Iterator<StoreProvider> providers = ServiceLoader.load(StoreProvider.class, TupleSpaces.class.getClassLoader())
                .iterator();
        if (!providers.hasNext()) {
            throw new SpaceException(SpaceException.Reason.DRIVER, "no durable store is on the class path");
        }
        return providers.next();
    }
}
