// SPDX-License-Identifier: Apache-2.0
/**
 * Runs jobs as processes of this machine.
 * <p>
 * Input: a {@link org.treehaul.schedulers.JobRequest}. Output: processes in sessions of their own, and their states as
 * {@code /proc} shows them.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.local;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
