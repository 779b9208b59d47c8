// SPDX-License-Identifier: Apache-2.0
/**
 * Processes of one user that find each other through a file and prove that they know its secret.
 *
 * <p>
 * In: the path of a private file, and connections. Out: its lines, if only this user can have written it; the addresses
 * of this host; codes that only the secret can produce. Knows no protocol.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.common.net;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
