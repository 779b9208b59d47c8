// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.core.fs;

import org.treehaul.arch.bad.core.fs.linux.KnowsItsUser;

/** One half of a cycle between a package and one inside it. */
public final class KnowsItsImplementation {

    /** Uses the other half. */
    public KnowsItsUser user() {
        return new KnowsItsUser();
    }
}
