// SPDX-License-Identifier: Apache-2.0
/** Tests of transfers: journals, claims, workers and finishing, killed and stopped at any moment. */
@NullMarked
package org.treehaul.core.transfer;

import org.jspecify.annotations.NullMarked;
