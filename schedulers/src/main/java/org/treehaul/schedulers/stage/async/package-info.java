// SPDX-License-Identifier: Apache-2.0
/**
 * Asynchronous files over the parallel files of a stage (Yang, PXFS 3.2.2): by threads that wait for the servers, or by
 * requests that no thread waits for.
 * <p>
 * Input: an open stage, and the layout of new files. Output: {@link org.treehaul.core.async.AsyncFiles}, whose paths
 * are those in the stage.
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.async;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
