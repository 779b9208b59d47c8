// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.sync.Change;
import org.treehaul.core.sync.ChangeListener;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.SyncResult;
import org.treehaul.core.sync.TreeSync;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.EntryFilter;

/**
 * The last part of a sync by jobs: after everything was copied, a sync in this process does what is left. It decides by
 * both trees as they are now, and may be repeated.
 *
 * @param context the parts of the finishing
 * @param survey the outcomes of the copy, to which those of this part are added
 * @param sync the rules
 * @param disk syncs the file systems of the destination
 */
record SyncFinishing(FinishingContext context, BatchSurvey survey, Operation.Sync sync, JournalWriter.Sync disk) {

    // The directory in which syncs without jobs remember the file system of the source, too.
    private static final String REMEMBERED = "sync";

    TransferResult run() throws IOException {
        if (survey.hasErrors()) {
            return result(TransferResult.State.PARTIAL, "not everything was copied, so attributes were not compared"
                    + (sync.options().deletes() ? " and nothing was removed" : ""));
        }
        // A finishing that was taken over must not change or remove anything any more.
        FileSystemCalls calls = LeaseCheckedCalls.over(context.calls(), context.lease()::mayWrite, name -> false);
        SyncResult done;
        try {
            done = TreeSync.of(calls, options(), ScratchDirectory.parent())
                    .remembering(context.directory().stateDirectory().resolve(REMEMBERED))
                    .sync(sync.source(), sync.destination(), new Guard(context), this::report, new Progress(),
                            context.stop());
        } catch (CopyRefusedException e) {
            return result(TransferResult.State.INCOMPLETE,
                    "everything was copied, but the comparison after it was refused: " + e.getMessage());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (!done.isComplete() || !context.mayGoOn()) {
            return result(TransferResult.State.STOPPED,
                    "finishing was stopped; 'treehaul resume " + context.directory().id() + "' continues");
        }
        disk.sync();
        survey.addSync(done);
        if (done.kept() > 0) {
            return result(TransferResult.State.PARTIAL,
                    (done.kept() == 1 ? "1 entry stays" : done.kept() + " entries stay") + " because of --max-delete "
                            + sync.options().mostRemovals());
        }
        return result(survey.hasFailures() ? TransferResult.State.PARTIAL : TransferResult.State.COMPLETE, "");
    }

    /** Stops the run before a removal if another process has resumed or cancelled the transfer. */
    private static final class Guard implements ChangeListener {

        // The state directory is on a server; a process that was suspended asks it before the next removal.
        private static final long INTERVAL_NANOS = 100_000_000;

        private final FinishingContext context;
        private long asked = System.nanoTime() - INTERVAL_NANOS;

        Guard(FinishingContext context) {
            this.context = context;
        }

        // One thread removes.
        @Override
        public void onChange(Change change) {
            if (change.action() != Change.Action.REMOVE || System.nanoTime() - asked < INTERVAL_NANOS) {
                return;
            }
            asked = System.nanoTime();
            try {
                if (!context.mayGoOn()) {
                    context.stop().cancel();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private SyncOptions options() {
        CopyOptions copy = context.settings()
                .options()
                .toBuilder()
                .filter(CopySettings.filter(context.plan().header().settings()).orElse(EntryFilter.none()))
                .build();
        SyncOptions rules = sync.options().withCopy(copy);
        // The batches have copied all files; what differs now has changed since.
        return rules.check() == SyncOptions.Check.NONE ? rules.withCheck(SyncOptions.Check.SIZE_AND_TIME) : rules;
    }

    private void report(Event event) {
        if (!(event instanceof Event.Failed failed)) {
            context.listener().onEvent(event);
            return;
        }
        if (context.lease().isGood()) {
            synchronized (survey) {
                survey.failed(failed.failure().kind(), 1);
            }
        }
        context.failed(failed.failure());
    }

    private TransferResult result(TransferResult.State state, String problem) {
        return survey.result(state, context.generation(), problem);
    }
}
