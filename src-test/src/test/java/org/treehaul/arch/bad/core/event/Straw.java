// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

/** Depends on no other class. */
public record Straw() {}
