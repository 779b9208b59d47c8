// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * A handler's attachment to a directory that must know which of the directory's entries a rank in another process
 * handles.
 */
public interface DividedDirectory {

    /**
     * Called on any thread when an entry goes to another process before this one has handled it.
     *
     * @param records the records that hold the entry's name
     * @param start the offset of the name's first byte
     * @param length the length of the name in bytes
     */
    void givenAway(byte[] records, int start, int length);
}
