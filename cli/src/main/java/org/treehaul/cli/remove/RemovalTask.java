// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.cli.entries.EntryTask;
import org.treehaul.cli.report.Question;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.RemoveResult;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Removes the operands. */
record RemovalTask(EntryInput input, RemoveOptions options, Safety safety) implements EntryTask {

    @Override
    public String noun() {
        return "a removal";
    }

    @Override
    public String participle() {
        return "removed";
    }

    @Override
    public void check() {
        if (safety.asksAlways() && input.ranks.areGiven()) {
            throw input.common.usage("-i cannot be combined with --ranks; use -I");
        }
        if (input.isTransfer()) {
            safety.checkForTransfer();
        }
    }

    @Override
    public boolean mayBegin() {
        return safety.mayBegin(input.common.screen(), input.operands(), options.recursive());
    }

    @Override
    public Operation.OnEntries operation() {
        return new Operation.Remove();
    }

    @Override
    public WalkOptions walk() {
        return WalkOptions.defaults().withOneFileSystem(options.oneFileSystem());
    }

    @Override
    public List<Root> roots(EventListener listener, Progress progress) {
        return TreeRemover.of(Linux.calls(), options).roots(input.operands(), listener, progress);
    }

    @Override
    public Outcome perform(EventListener listener, Session session) {
        TreeRemover remover = TreeRemover.of(Linux.calls(), options)
                .withWalking(walk -> input.ranks.walking(Linux.calls(), walk));
        if (safety.asksAlways()) {
            remover = remover.withQuestion(Safety.before(new Question(session.screen())));
        }
        AtomicBoolean hasDirectory = new AtomicBoolean();
        RemoveResult result = remover.remove(input.operands(), event -> {
            if (event instanceof Event.Failed failed && failed.failure().errno() == Errno.EISDIR) {
                hasDirectory.set(true);
            }
            listener.onEvent(event);
        }, session.progress(), session.cancellation());
        if (hasDirectory.get() && !input.common.json) {
            session.screen().note("directories are removed only with -r, together with everything below them");
        }
        return new Outcome(result.counts(), result.isComplete());
    }
}
