// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.tuplespace.store.SpaceUri;

/** Workers of a pool that die, or are stopped for longer than their leases, while others continue. */
class KilledPoolTest extends LostWorkers {

    @Override
    SpaceUri address() {
        return SpaceUri.of(directory.resolve("space"));
    }

    @Test
    void batchesOfKilledAndStoppedWorkersAreDoneByOthers() throws Exception {
        loseTwoOfThree(Campaign.seed(1));
    }

    @Test
    @Tag("campaign")
    void noMomentOfDeathLosesAFile() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(40), this::loseTwoOfThree);
    }
}
