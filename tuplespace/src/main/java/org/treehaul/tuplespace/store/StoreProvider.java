// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.nio.file.Path;

/** Opens durable stores. Found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /** Tells whether a directory holds a store of this kind. */
    boolean isIn(Path directory);

    /**
     * Opens the store in a directory, and makes both where they do not exist.
     *
     * @throws SpaceException when that fails; what there was stays as it was
     */
    Store open(Path directory, StoreOptions options, StoreListener listener);

    /**
     * Opens the store in a directory, and changes nothing there: by others than its owner, too, where they may read it,
     * and on a file system that is mounted read only.
     *
     * @throws SpaceException when that fails; ABSENT when there is none
     */
    Store openToRead(Path directory, StoreOptions options, StoreListener listener);

    /** Reads all of the store in a directory, and says what is damaged. */
    Inspection check(Path directory);

    /** Begins to fill a store that does not exist yet. */
    BulkLoad load(Path directory, StoreOptions options);

    /** Copies what can be read of the store in one directory to a new one in another, and leaves the first as it is. */
    Recovery recover(Path damaged, Path target, StoreOptions options);
}
