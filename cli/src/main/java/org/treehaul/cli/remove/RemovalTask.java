// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.remove;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryInput;
import org.treehaul.cli.entries.EntryTask;
import org.treehaul.cli.report.Question;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.remove.Detached;
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
        return isDetached() ? "detached" : "removed";
    }

    @Override
    public void check() {
        if (safety.asksAlways() && input.ranks.areGiven()) {
            throw input.common.usage("-i cannot be combined with --ranks; use -I");
        }
        if (safety.detaches() && (input.ranks.areGiven() || safety.asksAlways())) {
            throw input.common.usage(
                    "--detach cannot be combined with " + (safety.asksAlways() ? "-i; use -I" : "--ranks; use --jobs"));
        }
        if (safety.detaches() && !options.where().isAll()) {
            throw input.common.usage("--detach removes each PATH as a whole, so it cannot be combined with --where");
        }
        if (input.isTransfer()) {
            if (options.emptyDirectories() && !options.recursive()) {
                throw input.common.usage("-d removes at most each PATH, so it cannot be combined with jobs or --meet; "
                        + "leave out -d, or use -r to remove directories with their content");
            }
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
        return WalkOptions.defaults().withOneFileSystem(options.oneFileSystem()).withWhere(options.where());
    }

    @Override
    public List<Root> roots(EventListener listener, Progress progress) {
        return safety.detaches()
                ? detach(listener, progress).stream().map(Root::of).toList()
                : TreeRemover.of(Linux.calls(), options).roots(input.operands(), listener, progress);
    }

    private boolean isDetached() {
        return safety.detaches() && !options.dryRun();
    }

    // The notices come first, so that the trees can be found if no process or job removes them.
    private List<ByteString> detach(EventListener listener, Progress progress) {
        List<Detached> detached = TreeRemover.of(Linux.calls(), options).detach(input.operands(), listener, progress);
        detached.forEach(
                one -> listener.onEvent(new Event.Notice(one.path() + " is " + one.hidden() + " until it is removed")));
        return detached.stream().map(Detached::hidden).toList();
    }

    private Outcome leaveBehind(EventListener listener, Session session) {
        List<ByteString> hidden = detach(listener, session.progress());
        boolean isStarted = hidden.isEmpty() || isStarted(hidden, listener, session);
        return new Outcome(session.progress().snapshot(), isStarted);
    }

    private boolean isStarted(List<ByteString> hidden, EventListener listener, Session session) {
        String resume = "'treehaul rm -r' with the hidden name";
        try {
            long process = new LeftBehind(options, input.logFile()).remove(hidden);
            listener.onEvent(new Event.Notice("process " + process + " removes " + (hidden.size() == 1 ? "it" : "them")
                    + "; if it is killed, " + resume + " removes the rest"));
            return true;
        } catch (IOException e) {
            session.screen()
                    .error("cannot start a process that removes what is detached: " + e.getMessage() + "; use "
                            + resume);
            return false;
        }
    }

    @Override
    public Outcome perform(EventListener listener, Session session) {
        if (isDetached()) {
            return leaveBehind(listener, session);
        }
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
            session.screen()
                    .note("directories are removed only with -r, together with everything below them, or with -d if they are empty");
        }
        return new Outcome(result.counts(), result.isComplete());
    }
}
