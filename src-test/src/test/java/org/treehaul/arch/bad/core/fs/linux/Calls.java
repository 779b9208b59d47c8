// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.fs.linux;

import java.lang.foreign.Linker;

/** Makes a downcall, which this package may do. */
public final class Calls {
    private Calls() {}

    static Object downcall() {
        return Linker.nativeLinker();
    }
}
