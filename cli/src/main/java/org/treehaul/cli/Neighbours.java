// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanException;
import org.treehaul.core.plan.PlanHeader;
import org.treehaul.core.plan.PlannedRoot;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferId;
import org.treehaul.core.transfer.Transfers;

/** Finds transfers of the user that are not finished and write to the same place as a new one. */
final class Neighbours {

    private Neighbours() {}

    /** Returns what is to be told of them: nothing is torn where two write, but which of them is last is chance. */
    static List<String> of(FileSystemCalls calls, TransferDirectory transfer) {
        List<String> notices = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            List<PlannedRoot> own = Plan.open(transfer.plan()).header().roots();
            Transfers transfers = Transfers.in(transfer.stateDirectory());
            for (TransferId id : transfers.list()) {
                Path plan = transfers.open(id).plan();
                if (!id.equals(transfer.id()) && Plan.exists(plan)) {
                    PlanHeader other = Plan.open(plan).header();
                    Optional<ByteString> shared = shared(own, other.roots());
                    if (shared.isPresent() && other.tokenDirectories()
                            .stream()
                            .anyMatch(directory -> exists(access, directory, other.token()))) {
                        notices.add("transfer " + id + " is not finished and writes to " + shared.get()
                                + " as well: of a file that both copy, either may be the last");
                    }
                }
            }
        } catch (PlanException e) {
            // A plan that is damaged writes nowhere.
        } catch (IOException e) {
            notices.add("other transfers cannot be looked at: " + e.getMessage());
        }
        return notices;
    }

    // The place itself, or the inner one where one target stands in the other. What stands side by side does not meet.
    private static Optional<ByteString> shared(List<PlannedRoot> own, List<PlannedRoot> others) {
        for (PlannedRoot root : own) {
            for (PlannedRoot other : others) {
                if (isIn(root.place(), other.place())) {
                    return Optional.of(root.place());
                }
                if (isIn(other.place(), root.place())) {
                    return Optional.of(other.place());
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isIn(ByteString inner, ByteString outer) {
        byte[] below = inner.toBytes();
        byte[] above = outer.toBytes();
        int length = above.length;
        while (length > 0 && above[length - 1] == '/') {
            length--;
        }
        return below.length >= length && Arrays.equals(below, 0, length, above, 0, length)
                && (below.length == length || below[length] == '/');
    }

    private static boolean exists(FileAccess access, ByteString directory, String token) {
        byte[] name = token.getBytes(StandardCharsets.US_ASCII);
        ByteString path = ByteString.of(EntryFailure.fullPath(directory, TreePath.of(name)));
        try (LongPath longPath = LongPath.of(access, path)) {
            access.status(longPath.base(), access.name(longPath.rest()));
            return true;
        } catch (SystemCallException e) {
            return false;
        }
    }
}
