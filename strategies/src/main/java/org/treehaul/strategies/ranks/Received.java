// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * A message that came in. The array belongs to whoever receives it.
 *
 * @param from the rank that sent it
 * @param bytes what it sent
 */
@SuppressWarnings("ArrayRecordComponent")
public record Received(int from, byte[] bytes) {}
