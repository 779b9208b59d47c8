// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import org.semispace.SemiSpace;
import org.semispace.SemiSpaceInterface;
import org.treehaul.spaces.Items.ItemEntry;

/** SemiSpace, of which there is one for each process; it keeps tuples as XML. It has no indexes to declare. */
final class SemiSpaceRival implements Rival {
    private static final long DAY = 86_400_000;

    private final SemiSpaceInterface space = SemiSpace.retrieveSpace();

    @Override
    public void write(int number) {
        space.write(ItemEntry.of(number), DAY);
    }

    @Override
    public boolean read(int number) {
        return space.readIfExists(ItemEntry.numbered(number)) != null;
    }

    @Override
    public boolean readAny(String owner, String kind) {
        return space.readIfExists(ItemEntry.like(owner, kind)) != null;
    }

    @Override
    public boolean take(int number) {
        return space.takeIfExists(ItemEntry.numbered(number)) != null;
    }

    @Override
    public boolean takeAny(String state) {
        return space.takeIfExists(ItemEntry.inState(state)) != null;
    }

    @Override
    public boolean scan(long size) {
        return space.readIfExists(ItemEntry.sized(size)) != null;
    }

    @Override
    public void close() {
        // It ends with the process only, so it is emptied.
        boolean isAny = true;
        while (isAny) {
            isAny = space.takeIfExists(new ItemEntry()) != null;
        }
    }
}
