// SPDX-License-Identifier: Apache-2.0
/**
 * Measures parallel files and GlusterFS on hosts of this machine, whose links and disks can be limited.
 *
 * <p>
 * In: numbers of hosts, limits, jobs. Out: times. {@link org.treehaul.nodes.Nodes} makes the hosts by
 * {@code src-test/netfs}; {@link org.treehaul.nodes.NodeProgram} is the program that runs on one of them.
 */
@NullMarked
package org.treehaul.nodes;

import org.jspecify.annotations.NullMarked;
