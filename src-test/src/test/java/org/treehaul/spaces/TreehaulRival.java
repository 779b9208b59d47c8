// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.time.Duration;

import org.treehaul.spaces.Items.Item;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Template;

/** The space of TreeHaul, in memory, with indexes for the queried fields. */
final class TreehaulRival implements Rival {
    static final SpaceOptions OPTIONS = SpaceOptions.defaults()
            .index(Item.class, "number")
            .index(Item.class, "owner", "kind")
            .index(Item.class, "state");
    static final Template<Item> ITEMS = Template.of(Item.class);

    private final TupleSpace space = TupleSpaces.memory(OPTIONS);

    @Override
    public void write(int number) {
        space.write(Item.of(number));
    }

    @Override
    public boolean read(int number) throws InterruptedException {
        return space.read(ITEMS.equal("number", number), Duration.ZERO).isFound();
    }

    @Override
    public boolean readAny(String owner, String kind) throws InterruptedException {
        return space.read(ITEMS.equal("owner", owner).equal("kind", kind), Duration.ZERO).isFound();
    }

    @Override
    public boolean take(int number) throws InterruptedException {
        return space.take(ITEMS.equal("number", number), Duration.ZERO).isFound();
    }

    @Override
    public boolean takeAny(String state) throws InterruptedException {
        return space.take(ITEMS.equal("state", state), Duration.ZERO).isFound();
    }

    @Override
    public boolean scan(long size) throws InterruptedException {
        return space.read(ITEMS.equal("size", size), Duration.ZERO).isFound();
    }

    @Override
    public void close() {
        space.close();
    }
}
