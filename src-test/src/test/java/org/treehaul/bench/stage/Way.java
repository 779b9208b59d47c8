// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

/** A way to copy files. */
enum Way {
    CP("`cp -r`"),
    DIRECT_IN("`in`, directories"),
    DIRECT_OUT("`out`, directories"),
    NETWORK_IN("`in`, servers"),
    NETWORK_OUT("`out`, servers");

    private final String title;

    Way(String title) {
        this.title = title;
    }

    /** Returns the title of its column. */
    String title() {
        return title;
    }
}
