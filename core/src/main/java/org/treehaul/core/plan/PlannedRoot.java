// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.entry.ByteString;

/**
 * Where a source stands and where its copy is to stand.
 *
 * @param source absolute path
 * @param target absolute path of the copy itself
 */
public record PlannedRoot(ByteString source, ByteString target) {}
