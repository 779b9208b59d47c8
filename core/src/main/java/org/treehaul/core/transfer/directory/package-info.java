// SPDX-License-Identifier: Apache-2.0
/**
 * The state directory of a transfer: its files, generations, leases and heartbeats, and the result of each generation.
 *
 * <p>
 * {@link TransferDirectory} opens it. All processes of a transfer share it, on any number of hosts, and coordinate by
 * exclusive creation and by modification times that the file server assigns.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.directory;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
