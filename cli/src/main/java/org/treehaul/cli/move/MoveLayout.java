// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.move;

import java.util.List;

import org.treehaul.cli.common.Session;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.move.TreeMover;

/**
 * The sources of a move and their targets.
 *
 * @param pairs empty if no operand can be moved
 */
record MoveLayout(TreeMover mover, List<CopyPair> pairs) {

    /**
     * Determines them, and reports the operands that cannot be moved.
     *
     * @throws CopyRefusedException if the operands are refused as a whole
     */
    static MoveLayout of(FileSystemCalls calls, MvInput input, CopyOptions options, Session session,
            EventListener listener) throws CopyRefusedException {
        TreeMover mover = TreeMover.of(calls, options).withWalking(walk -> input.ranks.onTwoTrees(calls, walk));
        List<ByteString> two = input.ambiguous();
        boolean isUnfinished = !two.isEmpty() && mover.isUnfinished(two.getFirst(), two.getLast());
        if (isUnfinished) {
            session.screen().note("continues the unfinished move to '" + two.getLast() + "'");
        }
        try {
            CopyLayout layout = CopyLayout.of(calls, input.arguments(isUnfinished), options, session.progress());
            layout.report(listener);
            return new MoveLayout(mover, layout.pairs());
        } catch (CopyRefusedException e) {
            // The layout of a move is that of a copy, and so is its message.
            throw new CopyRefusedException(
                    String.valueOf(e.getMessage()).replaceFirst("^cannot copy ", "cannot move "));
        }
    }
}
