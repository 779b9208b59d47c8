// SPDX-License-Identifier: Apache-2.0
/**
 * Builds and updates the index of files.
 * <p>
 * In: trees, which {@code Indexer} walks. Out: one tuple for each entry in a space, and what a run added, changed and
 * removed. A later run over the same tree changes only what differs, and keeps the old entries where it cannot read.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.files.index;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
