// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * What a handler attaches to a directory, where it must know which of its entries a rank in another process handles.
 */
public interface DividedDirectory {

    /**
     * Called when an entry goes to another process before it was handled here, on any thread.
     *
     * @param records where its name is
     * @param start the offset of the name's first byte
     * @param length how many bytes the name has
     */
    void givenAway(byte[] records, int start, int length);
}
