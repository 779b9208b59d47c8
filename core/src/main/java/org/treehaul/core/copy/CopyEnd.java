// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** Told how the copy of a regular file ended. */
interface CopyEnd {

    /** The copy stands under its name. */
    void copied(FileCopier.Attempt attempt);

    /** The file was passed over as the options say. */
    void skipped(FileCopier.Attempt attempt);

    /** The copy failed with an exception of one of the kinds that {@link FileCopier#copy} throws. */
    void failed(FileCopier.Attempt attempt, Exception cause);
}
