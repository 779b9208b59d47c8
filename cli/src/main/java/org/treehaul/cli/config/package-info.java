// SPDX-License-Identifier: Apache-2.0
/**
 * Settings that take the place of options: from the environment, the user's file and the site's.
 *
 * <p>
 * In: the environment and two small files. Out: values with their origins, which the command line handles like options
 * given before all others.
 */
@NullMarked
package org.treehaul.cli.config;

import org.jspecify.annotations.NullMarked;
