// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.util.Optional;

import org.treehaul.cli.report.Text;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/** Messages about the failures that another attempt can resolve, and about those that it cannot. */
public final class Outlook {

    // A longer command would hide the message.
    private static final int LONGEST_COMMAND = 300;

    private Outlook() {}

    /**
     * Returns the end of the message about a transfer that is not complete. A resumed operation on entries handles only
     * what was planned; a removal, also that of the sources of a move, only what has not changed since.
     */
    static String of(TransferStatus status, TransferResult result) {
        if (status.operation() instanceof Operation.Verify) {
            return ofVerification(status, result);
        }
        String again = "; 'treehaul resume " + status.id() + "' tries again";
        boolean isMove = status.operation() instanceof Operation.Move;
        boolean isOnPlanned = isMove || status.operation() instanceof Operation.OnEntries;
        if (!isOnPlanned || result.state() != TransferResult.State.PARTIAL) {
            return again;
        }
        boolean isCompared = isMove || status.operation().repetition() == Repetition.COMPARED_WITH_PLAN;
        long changed = isCompared ? result.failures().getOrDefault(EntryFailure.Kind.CHANGED, 0L) : 0;
        long left = Math.min(status.unplanned() + changed, result.failed());
        if (left == 0) {
            return again;
        }
        return (left < result.failed() ? again : "") + "; resume leaves out " + Text.count(left, "entry", "entries")
                + (status.unplanned() == 0
                        ? " that changed since planning"
                        : " that could not be read during planning" + (changed == 0 ? "" : " or changed since"))
                + ": " + anew(status);
    }

    private static String ofVerification(TransferStatus status, TransferResult result) {
        if (result.state() != TransferResult.State.PARTIAL) {
            return "; 'treehaul resume " + status.id() + "' continues it";
        }
        boolean isRepairable = result.failures().keySet().stream().anyMatch(kind -> kind != EntryFailure.Kind.VANISHED);
        return (isRepairable ? "; 'treehaul verify --repair " + status.id() + "' copies again what differs" : "")
                + "; 'treehaul resume " + status.id() + "' compares again";
    }

    /**
     * Returns what a resumed transfer does with the entries that could not be read during planning, if there are any.
     */
    public static Optional<String> ofUnplanned(TransferStatus status) {
        if (status.unplanned() == 0) {
            return Optional.empty();
        }
        return Optional.of(Text.count(status.unplanned(), "entry", "entries") + " could not be read during planning: "
                + switch (status.operation()) {
                    case Operation.Move move -> "resume leaves them at the source; " + anew(status);
                    case Operation.Copying copying ->
                        "those that are still not copied will be tried again after all others";
                    case Operation.Verify verify ->
                        "those that were not copied later are not compared; resume the copy first";
                    case Operation.OnEntries each -> "resume leaves them out; " + anew(status);
                });
    }

    /** Returns the way to handle entries that the plan of an operation on entries does not have. */
    private static String anew(TransferStatus status) {
        String command = status.commandLine();
        String verb = switch (status.operation()) {
            case Operation.Move move when command.startsWith("mv ") -> "moves";
            case Operation.Remove remove when command.startsWith("rm ") -> "removes";
            case Operation.ChangeMode mode when command.startsWith("chmod ") -> "changes";
            case Operation.ChangeOwner owner when command.startsWith("ch") -> "changes";
            case Operation.Run run when command.startsWith("run ") -> "handles";
            default -> "";
        };
        return verb.isEmpty()
                ? "a new transfer includes them"
                : "the same command " + verb + " them when it is run again"
                        + (command.length() > LONGEST_COMMAND ? "" : ", treehaul " + command);
    }
}
