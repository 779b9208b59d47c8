// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

class MemorySpaceTest extends SpaceContract {

    @Override
    TupleSpace open(SpaceOptions options) {
        return TupleSpaces.memory(options);
    }
}
