// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import org.treehaul.cli.common.Session;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.CommandPublisher;

/** Publishes a command that works in this process, and passes its events on. */
public final class CommandPublication implements Session.Recorder {

    private final CommandPublisher publisher;

    private CommandPublication(CommandPublisher publisher) {
        this.publisher = publisher;
    }

    /** Publishes a command from now until its session ends. */
    public static void begin(Session session, SpaceUri space, CommandPublisher.Work work) {
        session.record(new CommandPublication(CommandPublisher.start(space, work, session.progress(),
                problem -> session.onEvent(new Event.Notice(problem)))));
    }

    @Override
    public void failed(EntryFailure failure) {
        publisher.failed(failure);
    }

    @Override
    public void ended(boolean isComplete) {
        publisher.end(isComplete);
    }

    @Override
    public void close() {
        publisher.close();
    }
}
