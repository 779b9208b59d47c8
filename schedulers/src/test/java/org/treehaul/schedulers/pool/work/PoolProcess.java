// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.tuplespace.store.SpaceUri;

/** A worker of a pool in a process of its own, which can be killed; its leases are short. */
public final class PoolProcess {

    /** The lease of its batches. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private PoolProcess() {}

    /**
     * Works for the pool at the address in the first argument on the transfers in the state directory in the second
     * one, until the process is killed.
     */
    public static void main(String[] args) throws Exception {
        try (Pool pool = Pool.open(SpaceUri.parse(args[0]))) {
            System.out.println(Ready.LINE);
            PoolWorker.work(pool, Path.of(args[1]),
                    PoolSettings.defaults()
                            .withThreads(1)
                            .withLease(LEASE, Duration.ofMillis(200))
                            .withTurn(Duration.ofMillis(50)),
                    new PoolListener() {
                        @Override
                        public void onEvent(Event event) {
                            System.out.println(event);
                        }

                        @Override
                        public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {
                            System.out.println(transfer.id() + " " + result.state());
                        }
                    }, new Progress(), new Cancellation());
        }
    }

    static Process start(SpaceUri space, Path stateDirectory) throws IOException {
        return new ProcessBuilder(JavaCommand.of(PoolProcess.class, space, stateDirectory)).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
