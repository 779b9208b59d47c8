// SPDX-License-Identifier: Apache-2.0
/**
 * The index of files and its query language.
 * <p>
 * In: templates as text, and a space that {@code Indexer} in {@code files.index} has filled with one tuple for each
 * entry of a tree. Out: the matching entries, their counts, sums and groups, and the changes between two index runs.
 */
@Api
@NullMarked
package org.treehaul.tuplespace.files;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
