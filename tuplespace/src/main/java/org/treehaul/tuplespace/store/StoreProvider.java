// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

/**
 * Opens stores of one kind. {@link java.util.ServiceLoader} finds the providers, those of TreeHaul and those that other
 * jars add: public classes with a constructor without parameters. Any thread may call the methods.
 * <p>
 * All providers are asked for each address. Only {@link #accepts}, {@link #exists} and {@link #open} are required; the
 * other methods fail as UNSUPPORTED unless a provider overrides them.
 */
public interface StoreProvider {

    /**
     * Returns whether addresses of this form belong to stores of this kind, whether or not there is such a store. Must
     * be cheap and must not open anything; only one of all providers may accept an address.
     */
    boolean accepts(SpaceUri uri);

    /** Returns whether there is a store of this kind at an address, in any state. */
    boolean exists(SpaceUri uri);

    /**
     * Opens the store at an address; creates it if absent.
     *
     * @throws SpaceException when that fails; existing data is unchanged
     */
    Store open(SpaceUri uri, StoreOptions options, StoreListener listener);

    /**
     * Opens the store at an address and changes nothing there. Also works for users other than its owner who may read
     * it, and on file systems mounted read-only.
     *
     * @throws SpaceException when that fails; ABSENT when there is none
     */
    default Store openToRead(SpaceUri uri, StoreOptions options, StoreListener listener) {
        throw unsupported(uri, "cannot be opened read-only");
    }

    /** Reads all of the store at an address and reports damage. */
    default Inspection check(SpaceUri uri) {
        throw unsupported(uri, "cannot be checked");
    }

    /**
     * Returns the size of all files of the store at an address, in bytes.
     *
     * @throws SpaceException when they cannot be read
     */
    default long bytes(SpaceUri uri) {
        throw unsupported(uri, "does not know its size");
    }

    /** Begins to fill a new store. */
    default BulkLoad load(SpaceUri uri, StoreOptions options) {
        throw unsupported(uri, "cannot be filled in bulk");
    }

    /** Copies the readable tuples of a store to a new store of this kind; the first is unchanged. */
    default Recovery recover(SpaceUri damaged, SpaceUri target, StoreOptions options) {
        throw unsupported(damaged, "cannot be recovered");
    }

    /** Returns the users of the space at an address, to share the space with them; does not connect yet. */
    default SpaceMembers members(SpaceUri uri) {
        throw unsupported(uri, "cannot be shared by users of a server");
    }

    private static SpaceException unsupported(SpaceUri uri, String reason) {
        return new SpaceException(SpaceException.Reason.UNSUPPORTED,
                "the tuple space " + uri.withoutPassword() + " " + reason);
    }
}
