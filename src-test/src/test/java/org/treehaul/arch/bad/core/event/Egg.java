// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

import org.treehaul.core.annotation.Internal;

/** Depends on the nest, and thereby on the chicken. */
@Internal
public record Egg(Nest place) {}
