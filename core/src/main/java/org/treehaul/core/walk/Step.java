// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/** What a walk does after an entry was handled. */
public enum Step {
    /** Goes on; into the entry, when it is a directory. */
    CONTINUE,
    /** Goes on, but not into this directory. The same as CONTINUE for what is no directory. */
    SKIP,
    /** Ends the walk: no other entry is begun, those in other threads' hands are finished. */
    QUIT
}
