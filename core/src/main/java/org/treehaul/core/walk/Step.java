// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.annotation.Api;

/** The result of handling an entry: how the walk continues. */
@Api
public enum Step {
    /** The walk continues, and enters the entry if it is a directory. */
    CONTINUE,
    /** The walk continues without entering this directory. For other entries the same as CONTINUE. */
    SKIP,
    /** The walk ends: no further entry begins, and other threads finish their current entries. */
    QUIT
}
