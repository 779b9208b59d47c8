// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.cli;

/** Does what it may. */
final class Prints {
    private Prints() {}

    static void print() {
        System.out.println("printed");
        System.exit(0);
    }
}
