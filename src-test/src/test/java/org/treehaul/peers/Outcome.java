// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

/**
 * How a tool ended.
 *
 * @param code its exit code as the shell reports it
 * @param timedOut whether it was killed because it did not end
 * @param killedOnPurpose whether the case killed it
 * @param reached whether it reached the moment that the case waits for; true for a case without one
 * @param said the first line of its standard error, with a prefix; or empty
 */
record Outcome(int code, boolean timedOut, boolean killedOnPurpose, boolean reached, String said) {}
