// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

/** Depends on the nest, and thereby on the chicken. */
public record Egg(Nest place) {}
