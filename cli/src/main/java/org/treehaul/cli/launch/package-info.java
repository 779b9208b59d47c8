// SPDX-License-Identifier: Apache-2.0
/**
 * The main class of the executable jar, compiled for Java 8 so that any Java can start it.
 *
 * <p>
 * In: the arguments of {@code java -jar treehaul.jar}. Out: a call of {@code org.treehaul.cli.Main} if this Java is new
 * enough; else the same jar run by a newer Java found on this machine, while this process forwards its signals and exit
 * code; else a message that names the remedy. Nothing else of TreeHaul is used here.
 */
@NullMarked
package org.treehaul.cli.launch;

import org.jspecify.annotations.NullMarked;
