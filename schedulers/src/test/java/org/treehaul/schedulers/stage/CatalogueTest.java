// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import org.treehaul.tuplespace.store.SpaceUri;

/** Catalogues in memory. */
class CatalogueTest extends CatalogueContract {

    CatalogueTest() {
        super(new SpaceUri(SpaceUri.MEMORY, "catalogue" + System.nanoTime()));
    }
}
