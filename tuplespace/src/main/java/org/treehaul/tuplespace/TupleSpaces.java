// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.store.StoreProviders;

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
     * Opens the space with a name; creates it if absent. A name without a slash or a scheme is a space in the memory of
     * this process, which all its threads can open. A name with a slash is the path of the directory of a durable
     * space, which other processes can open too. A name with a scheme is an address, as in {@link SpaceUri#parse}.
     *
     * @param options options of the space; a space in memory keeps those of its first opener
     */
    public static TupleSpace open(String name, SpaceOptions options) {
        if (SpaceUri.hasScheme(name)) {
            return open(SpaceUri.parse(name), options);
        }
        return name.contains("/") ? open(Path.of(name), options) : named(name, options);
    }

    /**
     * Opens the space at an address; creates it if absent. {@code mem:NAME} is the space in memory that
     * {@link #open(String, SpaceOptions)} opens by the name, {@code sqlite:DIR} the durable space in a directory, and
     * {@code partitions:FILE} a space over the stores that a file lists, whose contents, counts and groups are no
     * snapshot while other processes write; other jars may provide other kinds.
     *
     * @throws SpaceException when that fails; existing data is unchanged. PROVIDER when no store accepts the address,
     *         or more than one does
     */
    public static TupleSpace open(SpaceUri uri, SpaceOptions options) {
        if (uri.scheme().equals(SpaceUri.MEMORY)) {
            return named(uri.address(), options);
        }
        StoreProvider provider = StoreProviders.of(uri);
        return Space.over(listener -> provider.open(uri, options.store(), listener), options);
    }

    private static TupleSpace named(String name, SpaceOptions options) {
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
        return open(SpaceUri.of(directory), options);
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

    /** Opens the space at an address, as {@link #openExisting(Path, SpaceOptions)} does. */
    public static TupleSpace openExisting(SpaceUri uri, SpaceOptions options) {
        if (uri.scheme().equals(SpaceUri.SQLITE)) {
            return openExisting(uri.path(), options);
        }
        if (!exists(uri)) {
            throw new SpaceException(SpaceException.Reason.ABSENT,
                    "there is no tuple space at " + uri.withoutPassword());
        }
        return open(uri, options);
    }

    /**
     * Opens the durable space in a directory read-only: operations that would change it fail as DENIED. Meant for users
     * other than its owner who may read its files, and for file systems mounted read-only. If the space is not open
     * elsewhere, readers see its state at this moment, and a change by the owner makes their reads fail as BUSY.
     *
     * @throws SpaceException ABSENT when there is none
     */
    public static TupleSpace openToRead(Path directory, SpaceOptions options) {
        return openToRead(SpaceUri.of(directory), options);
    }

    /** Opens the space at an address read-only, as {@link #openToRead(Path, SpaceOptions)} does. */
    public static TupleSpace openToRead(SpaceUri uri, SpaceOptions options) {
        StoreProvider provider = StoreProviders.of(uri);
        return Space.toRead(listener -> provider.openToRead(uri, options.store(), listener), options);
    }

    /**
     * Reads the whole durable space in a directory and reports damage: pages, indexes, and tuples that do not match
     * their checksums. Changes nothing.
     *
     * @throws SpaceException when the space cannot be read at all; ABSENT when there is none
     */
    public static Inspection check(Path directory) {
        return check(SpaceUri.of(directory));
    }

    /** Checks the space at an address, as {@link #check(Path)} does. */
    public static Inspection check(SpaceUri uri) {
        return StoreProviders.of(uri).check(uri);
    }

    /** Returns whether a directory holds a durable space, in any state. */
    public static boolean exists(Path directory) {
        return exists(SpaceUri.of(directory));
    }

    /** Returns whether there is a space at an address, in any state. */
    public static boolean exists(SpaceUri uri) {
        if (uri.scheme().equals(SpaceUri.MEMORY)) {
            synchronized (NAMED) {
                return NAMED.containsKey(uri.address());
            }
        }
        return StoreProviders.of(uri).exists(uri);
    }

    /**
     * Returns the size of all files of the durable space in a directory, in bytes.
     *
     * @throws SpaceException when they cannot be read
     */
    public static long bytes(Path directory) {
        return bytes(SpaceUri.of(directory));
    }

    /** Returns the size of the space at an address, as {@link #bytes(Path)} does. */
    public static long bytes(SpaceUri uri) {
        return StoreProviders.of(uri).bytes(uri);
    }

    /**
     * Begins to fill a new durable space.
     *
     * @throws SpaceException when the space exists or cannot be created
     */
    public static BulkLoad bulkLoad(Path directory, SpaceOptions options) {
        return bulkLoad(SpaceUri.of(directory), options);
    }

    /**
     * Returns the users of a space on a server, which an administrator creates to share it.
     *
     * @throws SpaceException UNSUPPORTED when this kind of store has no users
     */
    public static SpaceMembers members(SpaceUri uri) {
        return StoreProviders.of(uri).members(uri);
    }

    /** Begins to fill a new space at an address, as {@link #bulkLoad(Path, SpaceOptions)} does. */
    public static BulkLoad bulkLoad(SpaceUri uri, SpaceOptions options) {
        return StoreProviders.of(uri).load(uri, options.store());
    }

    /** Copies the readable tuples of a damaged durable space to a new one; the damaged one is unchanged. */
    public static Recovery recover(Path damaged, Path target, SpaceOptions options) {
        return recover(SpaceUri.of(damaged), SpaceUri.of(target), options);
    }

    /**
     * Copies the readable tuples of a damaged space to a new one of the same kind; the damaged one is unchanged.
     *
     * @throws SpaceException PROVIDER if the addresses belong to different kinds of stores
     */
    public static Recovery recover(SpaceUri damaged, SpaceUri target, SpaceOptions options) {
        StoreProvider provider = StoreProviders.of(damaged);
        if (!provider.accepts(target)) {
            throw new SpaceException(SpaceException.Reason.PROVIDER, damaged.withoutPassword()
                    + " cannot be recovered to " + target.withoutPassword() + ", another kind of tuple space");
        }
        return provider.recover(damaged, target, options.store());
    }
}
