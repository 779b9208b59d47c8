// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

import org.treehaul.core.annotation.Internal;

/** Depends on the chicken by a nested class. */
public final class Nest {

    private Nest() {}

    /** Is no part of the API, and so may name an internal type. */
    @Internal
    public static void hatch(Egg egg) {}

    /** A nested class, which causes the dependency. */
    record Hen(Chicken bird, Straw bed) {}
}
