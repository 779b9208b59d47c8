// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

/** Depends on the egg, and thereby on the nest. */
public record Chicken(Egg laid) {}
