// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/** Takes the messages that a {@link DistributionProtocol} sends. */
@FunctionalInterface
public interface Outbox {

    /** Sends a message to a rank. */
    void send(int to, byte[] message);
}
