// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.util.List;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.cli.entries.EntryTask;
import org.treehaul.core.attributes.AttributeChange;
import org.treehaul.core.attributes.ChangeOptions;
import org.treehaul.core.attributes.ChangeResult;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.attributes.TreeChanger;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Changes an attribute of the operands. */
record ChangeTask(EntryInput input, AttributeChange change, ChangeOptions options) implements EntryTask {

    @Override
    public String noun() {
        return "a change";
    }

    @Override
    public String participle() {
        return "changed";
    }

    @Override
    public void check() {
        if (input.isTransfer() && !change.isRepeatable()) {
            throw input.common
                    .usage("'" + change + "' gives another mode each time, so that jobs and separate ranks cannot "
                            + "repeat it after a failure; leave out their options, or name the permissions");
        }
    }

    @Override
    public Operation.OnEntries operation() {
        return switch (change) {
            case ModeChange mode -> new Operation.ChangeMode(mode);
            case OwnerChange owner -> new Operation.ChangeOwner(owner);
        };
    }

    @Override
    public WalkOptions walk() {
        return WalkOptions.defaults().withWhere(options.where());
    }

    @Override
    public List<Root> roots(EventListener listener, Progress progress) {
        return changer().roots(input.operands(), listener, progress);
    }

    @Override
    public Outcome perform(EventListener listener, Session session) {
        ChangeResult result = changer().withWalking(walk -> input.ranks.walking(Linux.calls(), walk))
                .change(input.operands(), listener, session.progress(), session.cancellation());
        return new Outcome(result.counts(), result.isComplete());
    }

    private TreeChanger changer() {
        return TreeChanger.of(Linux.calls(), change, options);
    }
}
