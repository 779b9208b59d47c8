// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.strategies.ranks.simulation;

/** Research. */
public record Model() {}
