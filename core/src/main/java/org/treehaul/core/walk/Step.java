// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.annotation.Api;

/** The handler's answer to an entry: how the walk goes on. */
@Api
public enum Step {
    /** Goes on, and into the entry if it is a directory. */
    CONTINUE,
    /** Goes on, but not into this directory. For other entries the same as CONTINUE. */
    SKIP,
    /** Ends the walk: no other entry begins; other threads finish theirs. */
    QUIT
}
