// SPDX-License-Identifier: Apache-2.0
/**
 * A stage as a store behind the file layer: trees from which and into which entries are copied, compared and listed.
 * <p>
 * Input: a stage that is open. Output: {@link org.treehaul.core.storage.SourceTree} and
 * {@link org.treehaul.core.storage.TargetTree}, whose failures have the words and the error numbers of the stage. A
 * failure of the catalogue as a whole is a {@code SpaceException}, which ends the work.
 */
@Internal
@NullMarked
package org.treehaul.schedulers.stage.files;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
