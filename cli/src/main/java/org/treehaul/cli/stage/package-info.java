// SPDX-License-Identifier: Apache-2.0
/**
 * The command that copies trees into parallel files and back.
 * <p>
 * Input: arguments, the catalogue of a stage. Output: calls of {@code org.treehaul.schedulers.stage.tree}, and reports.
 */
@NullMarked
package org.treehaul.cli.stage;

import org.jspecify.annotations.NullMarked;
