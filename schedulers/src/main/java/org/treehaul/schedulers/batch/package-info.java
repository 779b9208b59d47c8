// SPDX-License-Identifier: Apache-2.0
/**
 * Batch transfers as a library: {@link org.treehaul.schedulers.batch.BatchTransfer} creates a transfer of any operation
 * from a request, plans it, submits its jobs, resumes and cancels it, and waits for it.
 */
@Api
@NullMarked
package org.treehaul.schedulers.batch;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
