// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.entry.Amounts;
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
        List<RoomCheck.Shortage> shortages;
        try {
            shortages = RoomCheck.of(Linux.calls(), plan);
        } catch (PlanException e) {
            throw e;
        } catch (IOException e) {
            notices.accept("cannot check for room in the destination: " + StateDirectory.reason(e));
            return;
        }
        for (RoomCheck.Shortage shortage : shortages) {
            if (shortage.isSure() && mayRefuse) {
                throw new CopyRefusedException(refusal(shortage));
            }
            notices.accept(text(shortage));
        }
    }

    /** Returns the message for a user whose copy is refused or stopped because of a sure shortage. */
    public static String refusal(RoomCheck.Shortage shortage) {
        return text(shortage)
                + ": free some space, copy less, or use another destination; --no-space-check copies what fits";
    }

    /** Returns a shortage as a sentence. */
    public static String text(RoomCheck.Shortage shortage) {
        boolean isBytes = shortage.kind() == RoomCheck.Kind.BYTES;
        String free = isBytes ? Amounts.bytes(shortage.free()) : Amounts.count(shortage.free()) + " inodes";
        String needed = isBytes ? Amounts.bytes(shortage.needed()) : Amounts.count(shortage.needed());
        return "the destination " + shortage.directory()
                + (shortage.isSure() ? " is too small: " : " may be too small: ") + free
                + " are free, and the copy needs " + (shortage.isSure() ? "at least " : "about ") + needed;
    }
}
