// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.walk;

import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;

/** Makes calls that only other packages may make. */
public final class Walker {
    private Walker() {}

    static Object downcall() {
        return Linker.nativeLinker();
    }

    static Object symbol() {
        return SymbolLookup.loaderLookup();
    }

    static void print() {
        System.out.println("printed");
    }

    static void exit() {
        System.exit(1);
    }
}
