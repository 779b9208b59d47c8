// SPDX-License-Identifier: Apache-2.0
/**
 * Changes modes and owners of files and trees with many threads, as chmod(1), chown(1) and chgrp(1) do.
 *
 * <p>
 * In: paths as the user gave them, and the change. Out: the entries have the attributes; failures as events, and the
 * counts. An entry that already has them is not touched. Each entry is opened without following a link, compared with
 * the entry that was listed, and changed by its descriptor, so that another user who swaps a name cannot direct the
 * change elsewhere. {@link org.treehaul.core.attributes.TreeChanger} is the entry point.
 */
@Api
@NullMarked
package org.treehaul.core.attributes;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
