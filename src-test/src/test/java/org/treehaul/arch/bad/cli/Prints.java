// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.cli;

/** Prints and exits, which the command line may do. */
final class Prints {
    private Prints() {}

    static void print() {
        System.out.println("printed");
        System.exit(0);
    }
}
