// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.plain.RoomShortage;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.RoomCheck;
import org.treehaul.core.transfer.directory.StateDirectory;

/** Reports whether the planned copy fits into the destination. */
@Internal
public final class RoomReport {

    private RoomReport() {}

    /**
     * Checks the free space, and refuses a copy that is sure to fail.
     *
     * @param mayRefuse whether nothing was begun and the user did not disable the check
     * @param notices receives shortages that do not refuse the copy, and possible shortages
     * @throws CopyRefusedException if there is a shortage
     */
    public static void check(Plan plan, boolean mayRefuse, Consumer<String> notices)
            throws PlanException, CopyRefusedException {
        List<RoomShortage> shortages;
        try {
            shortages = RoomCheck.of(Linux.calls(), plan);
        } catch (PlanException e) {
            throw e;
        } catch (IOException e) {
            notices.accept("cannot check for room in the destination: " + StateDirectory.reason(e));
            return;
        }
        for (RoomShortage shortage : shortages) {
            if (shortage.isSure() && mayRefuse) {
                throw new CopyRefusedException(shortage.refusal());
            }
            notices.accept(shortage.text());
        }
    }
}
