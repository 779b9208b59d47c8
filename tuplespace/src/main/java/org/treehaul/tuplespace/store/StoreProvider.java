// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.nio.file.Path;

/** Opens durable stores. {@link java.util.ServiceLoader} finds the providers. */
public interface StoreProvider {

    /** Returns whether a directory holds a store of this kind. */
    boolean isIn(Path directory);

    /**
     * Opens the store in a directory; creates both if absent.
     *
     * @throws SpaceException when that fails; existing data is unchanged
     */
    Store open(Path directory, StoreOptions options, StoreListener listener);

    /**
     * Opens the store in a directory and changes nothing there. Also works for users other than its owner who may read
     * it, and on file systems mounted read-only.
     *
     * @throws SpaceException when that fails; ABSENT when there is none
     */
    Store openToRead(Path directory, StoreOptions options, StoreListener listener);

    /** Reads all of the store in a directory and reports damage. */
    Inspection check(Path directory);

    /** Begins to fill a new store. */
    BulkLoad load(Path directory, StoreOptions options);

    /** Copies the readable tuples of the store in one directory to a new store in another; the first is unchanged. */
    Recovery recover(Path damaged, Path target, StoreOptions options);
}
