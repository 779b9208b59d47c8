// SPDX-License-Identifier: Apache-2.0
/**
 * The settings of a walk: its roots, the paths selected below them, the patterns that exclude entries, and the options.
 *
 * <p>
 * In: values that the user gave. Out: immutable options, and selections that must not change once a walk has them.
 * Nothing here knows the walk, so that a request or a plan can keep these values without it.
 */
@Api
@NullMarked
package org.treehaul.core.walk.options;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
