// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

/**
 * How a tool ended.
 *
 * @param code its exit code as the shell has it
 * @param timedOut whether it had to be killed because it did not end
 * @param killedOnPurpose whether the case killed it
 * @param reached whether it came to the moment that the case waits for; true where it waits for none
 * @param said the first line of what it wrote to standard error, with a prefix; or nothing
 */
record Outcome(int code, boolean timedOut, boolean killedOnPurpose, boolean reached, String said) {}
