// SPDX-License-Identifier: Apache-2.0
/**
 * The request of a transfer: everything that the user asked for, in one immutable record and one versioned file of the
 * transfer's directory. The job that plans, the commands that resume and an embedder read it; none of them parses a
 * command line.
 */
@Api
@NullMarked
package org.treehaul.core.transfer.request;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
