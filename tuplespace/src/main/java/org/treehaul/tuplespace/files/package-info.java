// SPDX-License-Identifier: Apache-2.0
/**
 * The index of files and its query language.
 * <p>
 * Comes in: trees, which {@code FileIndex} walks and keeps as one tuple for each entry, and templates as text. Goes
 * out: the entries that match, their counts, sums and groups, and what changed from one index to the next. A later
 * index of the same tree changes only what differs, and keeps what was known of what it could not read.
 */
@NullMarked
package org.treehaul.tuplespace.files;

import org.jspecify.annotations.NullMarked;
