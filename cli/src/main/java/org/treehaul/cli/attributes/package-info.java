// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that change attributes of trees: {@code chmod}, {@code chown} and {@code chgrp}.
 *
 * <p>
 * In: the change in GNU's syntax, and paths. Out: the entries have the attributes; failures on standard error.
 */
@NullMarked
package org.treehaul.cli.attributes;

import org.jspecify.annotations.NullMarked;
