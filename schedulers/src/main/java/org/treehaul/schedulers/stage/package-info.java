// SPDX-License-Identifier: Apache-2.0
/**
 * Parallel files for the time of a job: files in segments over the directories of several nodes or disks, and the
 * catalogue in a tuple space that names them.
 * <p>
 * Input: the directories or servers of a stage, and a tuple space. Output: open files, whose data go straight to the
 * servers; the catalogue is asked only to open, close, rename and remove. It is scratch space, not a file system to
 * keep data in.
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
