// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.junit.jupiter.api.Timeout;
import org.treehaul.strategies.collective.CollectiveContract;
import org.treehaul.strategies.ranks.communicator.Communicator;

/** Collective reads and writes over MPJ Express in one process. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OneProcessCollectiveTest extends CollectiveContract {

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        new OneProcess(MpjInstalled.home()).run(hosts(ranks), body);
    }

    @Override
    protected int cases() {
        return 2;
    }
}
