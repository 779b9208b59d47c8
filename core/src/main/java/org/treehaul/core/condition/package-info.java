// SPDX-License-Identifier: Apache-2.0
/**
 * Conditions on entries: the language of {@code query} and {@code find}, of which {@code docs/guide/index-and-query.md}
 * is the reference.
 * <p>
 * In: conditions as text, and the values of an entry, whether it was found in a live tree or in an index. Out: whether
 * the entry matches. This package makes no system calls; it reads the names of users and groups.
 */
@Api
@NullMarked
package org.treehaul.core.condition;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
