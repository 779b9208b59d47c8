// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import java.util.List;

import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.StoreListener;

/** A listener that wants no changes; subclasses want some. */
public class Deaf implements StoreListener {

    @Override
    public boolean isInterested() {
        return false;
    }

    @Override
    public boolean isInterestedIn(long transaction) {
        return false;
    }

    @Override
    public boolean wantsEvents() {
        return false;
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public void changed(List<Change> changes) {
        // There are no waiters.
    }

    @Override
    public void changedElsewhere() {
        // There are no waiters.
    }

    @Override
    public void lost() {
        // There are no waiters.
    }
}
