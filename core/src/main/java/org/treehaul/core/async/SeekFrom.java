// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

/** The place from which an offset is counted, as in lseek(2). */
public enum SeekFrom {
    /** SEEK_SET. */
    START,
    /** SEEK_CUR. */
    CURRENT,
    /** SEEK_END. */
    END
}
