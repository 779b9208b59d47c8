// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.report.TotalCount;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.RoomAhead;
import org.treehaul.core.transfer.RoomCheck;
import org.treehaul.schedulers.batch.RoomReport;

/** Stops a copy that cannot fit into its destination as soon as its sources are counted. */
public final class RoomWatch implements TotalCount.Receiver {

    private final RoomAhead room;
    private final Cancellation copy;
    private final Consumer<String> notices;
    private volatile @Nullable String refusal;

    /**
     * Creates a watch.
     *
     * @param copy is cancelled if the copy is sure to fail
     * @param notices receives a shortage that is only likely, on the thread that counts
     */
    public RoomWatch(RoomAhead room, Cancellation copy, Consumer<String> notices) {
        this.room = room;
        this.copy = copy;
        this.notices = notices;
    }

    @Override
    public void entry(Entry entry) {
        room.add(entry);
    }

    @Override
    public void complete() {
        for (RoomCheck.Shortage shortage : room.shortages()) {
            if (shortage.isSure()) {
                refusal = RoomReport.refusal(shortage);
                copy.cancel();
                return;
            }
            notices.accept(RoomReport.text(shortage));
        }
    }

    /** Returns why the copy was stopped; empty if it was not. */
    public Optional<String> refusal() {
        return Optional.ofNullable(refusal);
    }
}
