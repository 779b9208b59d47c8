// SPDX-License-Identifier: Apache-2.0
/**
 * The index of files and its query language.
 * <p>
 * In: trees, which {@code Indexer} walks and stores as one tuple for each entry, and templates as text. Out: the
 * matching entries, their counts, sums and groups, and the changes between two runs. A later run over the same tree
 * changes only what differs, and keeps the old entries where it cannot read.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.files;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
