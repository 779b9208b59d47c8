// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.fs.linux;

import org.treehaul.arch.bad.core.fs.KnowsItsImplementation;

/** The other half of the cycle. */
public final class KnowsItsUser {

    /** Uses the first half. */
    public KnowsItsImplementation implementation() {
        return new KnowsItsImplementation();
    }
}
