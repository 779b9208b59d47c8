// SPDX-License-Identifier: Apache-2.0
/**
 * The main class of the executable jar, compiled for Java 8 so that any Java can start it.
 * <p>
 * Comes in: the arguments of {@code java -jar treehaul.jar}. Goes out: a call of {@code org.treehaul.cli.Main} where
 * this Java is new enough; otherwise the same jar run by a newer Java found on this machine, with this process standing
 * in for it; otherwise a message that says what to do. Nothing else of TreeHaul is used here.
 */
@NullMarked
package org.treehaul.cli.launch;

import org.jspecify.annotations.NullMarked;
