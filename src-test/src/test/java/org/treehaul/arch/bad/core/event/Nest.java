// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.event;

/** Depends on the chicken by a nested class. */
public final class Nest {

    /** A nested class, which causes the dependency. */
    record Hen(Chicken bird, Straw bed) {}
}
