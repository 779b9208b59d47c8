// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.copy;

import org.treehaul.arch.bad.core.compare.Comparer;

/** One half of a cycle. */
public record Copier(Comparer comparer) {}
