// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.strategies;

import org.treehaul.arch.bad.strategies.ranks.simulation.Model;

/** Loads research on the path of a walk. */
public record Predicts(Model model) {}
