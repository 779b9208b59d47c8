// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.compare;

import org.treehaul.arch.bad.core.copy.Copier;

/** The other half of the cycle. */
public record Comparer(Copier copier) {}
