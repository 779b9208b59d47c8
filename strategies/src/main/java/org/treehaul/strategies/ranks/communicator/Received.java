// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

/**
 * An incoming message. The array belongs to the receiver.
 *
 * @param from the rank that sent it
 * @param bytes the content
 */
@SuppressWarnings("ArrayRecordComponent")
public record Received(int from, byte[] bytes) {}
