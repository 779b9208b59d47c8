// SPDX-License-Identifier: Apache-2.0
/**
 * The file of a durable space as a whole: filled, checked, recovered, and kept able to grow. Not part of the API: only
 * the packages of the durable store use it.
 * <p>
 * In: a file, whole or damaged, or tuples for a new one. Out: a file with its indexes and its kind of journal, problems
 * that were found in one, and disk space that is set aside.
 */
@Internal
@NullMarked
package org.treehaul.tuplespace.sqlite.file;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
