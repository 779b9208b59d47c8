// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import net.jini.core.lease.Lease;
import net.jini.space.JavaSpace;
import org.treehaul.spaces.Items.ItemEntry;

/** Outrigger without RMI, which is how it is fastest. It has no indexes to declare. */
final class OutriggerRival implements Rival {
    private final Outrigger outrigger;
    private final JavaSpace space;

    OutriggerRival() throws ReflectiveOperationException {
        outrigger = Outrigger.start();
        space = outrigger.space();
    }

    @Override
    public void write(int number) throws Exception {
        space.write(ItemEntry.of(number), null, Lease.FOREVER);
    }

    private boolean read(ItemEntry template) throws Exception {
        return space.read(template, null, JavaSpace.NO_WAIT) != null;
    }

    @Override
    public boolean read(int number) throws Exception {
        return read(ItemEntry.numbered(number));
    }

    @Override
    public boolean readAny(String owner, String kind) throws Exception {
        return read(ItemEntry.like(owner, kind));
    }

    private boolean take(ItemEntry template) throws Exception {
        return space.take(template, null, JavaSpace.NO_WAIT) != null;
    }

    @Override
    public boolean take(int number) throws Exception {
        return take(ItemEntry.numbered(number));
    }

    @Override
    public boolean takeAny(String state) throws Exception {
        return take(ItemEntry.inState(state));
    }

    @Override
    public boolean scan(long size) throws Exception {
        return read(ItemEntry.sized(size));
    }

    @Override
    public void close() throws ReflectiveOperationException {
        outrigger.close();
    }
}
