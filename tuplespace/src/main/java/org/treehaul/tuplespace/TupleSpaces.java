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
 * Opens tuple spaces.
 * <p>
 * The opener of a space closes it. A space in memory ends when it was closed as many times as it was opened; a durable
 * one stays in its directory.
 */
public final class TupleSpaces {
    /** The named spaces in memory. Guarded by itself. */
    private static final Map<String, Shared> NAMED = new HashMap<>();

    private static final class Shared {
        private final Space space;
        private int users;

        Shared(Space space) {
            this.space = space;
        }
    }

    private TupleSpaces() {}

    /** Creates a space in memory that is private to the caller. */
    public static TupleSpace memory() {
        return memory(SpaceOptions.defaults());
    }

    /** Creates a space in memory that is private to the caller. */
    public static TupleSpace memory(SpaceOptions options) {
        return inMemory(options);
    }

    private static Space inMemory(SpaceOptions options) {
        return Space.over(listener -> new MemoryStore(options.store(), listener), options);
    }

    /**
     * Opens the space with a symbolic name; creates it if absent. A name without a slash is a space in the memory of
     * this process, which all its threads can open. A name with a slash is the path of the directory of a durable
     * space, which other processes can open too.
     *
     * @param options options of the space; a space in memory keeps those of its first opener
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
     * Opens the durable space in a directory; creates both if absent.
     *
     * @throws SpaceException when that fails; existing data is unchanged. UNSAFE when another user owns the directory
     *         or the space, or can write to it
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
     * Opens the durable space in a directory read-only: operations that would change it fail as DENIED. Meant for users
     * other than its owner who may read its files, and for file systems mounted read-only. If the space is not open
     * elsewhere, readers see its state at this moment, and a change by the owner makes their reads fail as BUSY.
     *
     * @throws SpaceException ABSENT when there is none
     */
    public static TupleSpace openToRead(Path directory, SpaceOptions options) {
        StoreProvider provider = provider();
        return Space.over(listener -> provider.openToRead(directory, options.store(), listener), options);
    }

    /**
     * Reads the whole durable space in a directory and reports damage: pages, indexes, and tuples that do not match
     * their checksums. Changes nothing.
     *
     * @throws SpaceException when the space cannot be read at all; ABSENT when there is none
     */
    public static Inspection check(Path directory) {
        return provider().check(directory);
    }

    /** Returns whether a directory holds a durable space, in any state. */
    public static boolean exists(Path directory) {
        return provider().isIn(directory);
    }

    /**
     * Begins to fill a new durable space.
     *
     * @throws SpaceException when the space exists or cannot be created
     */
    public static BulkLoad bulkLoad(Path directory, SpaceOptions options) {
        return provider().load(directory, options.store());
    }

    /** Copies the readable tuples of a damaged durable space to a new one; the damaged one is unchanged. */
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
