// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.time.Duration;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;

/** Forwards all calls to another communicator; subclasses override those that they change. */
@Internal
public abstract class ForwardingCommunicator implements Communicator {

    private final Communicator communicator;

    protected ForwardingCommunicator(Communicator communicator) {
        this.communicator = communicator;
    }

    @Override
    public int rank() {
        return communicator.rank();
    }

    @Override
    public int size() {
        return communicator.size();
    }

    @Override
    public int hostOf(int rank) {
        return communicator.hostOf(rank);
    }

    @Override
    public String hostName(int rank) {
        return communicator.hostName(rank);
    }

    @Override
    public void send(int to, byte[] message) {
        communicator.send(to, message);
    }

    @Override
    public Optional<Received> poll(Duration longest) {
        return communicator.poll(longest);
    }

    @Override
    public void wake() {
        communicator.wake();
    }

    @Override
    public Traffic traffic() {
        return communicator.traffic();
    }

    @Override
    public void close() {
        communicator.close();
    }
}
