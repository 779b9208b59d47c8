// SPDX-License-Identifier: Apache-2.0
/**
 * The operations of transfers. The engine that plans, distributes, journals, resumes and reports asks the
 * {@link Operation} of a transfer for everything that differs between operations.
 */
@Api
@NullMarked
package org.treehaul.core.transfer.operation;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
