// SPDX-License-Identifier: Apache-2.0
/**
 * Settings that stand for options: from the environment, the user's file and the site's.
 *
 * <p>
 * In: the environment and two small files. Out: values with where they come from, which the command line takes as if
 * they were options given before all others.
 */
@NullMarked
package org.treehaul.cli.config;

import org.jspecify.annotations.NullMarked;
