// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.schedulers.pool.submitter.ChildProgram;
import org.treehaul.schedulers.pool.work.PoolSettings;
import org.treehaul.schedulers.pool.work.PoolWorker;
import org.treehaul.tuplespace.store.SpaceUri;

/** A worker of root whose leases end after two seconds instead of a minute, in a process of its own. */
public final class ShortLeaseWorker {

    private ShortLeaseWorker() {}

    /** Works for the pool at the address in the first argument until the process is killed. */
    public static void main(String[] args) throws Exception {
        List<String> program = List.of(Run.JAVA.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "-cp", Run.JAR.toString(), "org.treehaul.cli.Main", "worker");
        PoolListener listener = new PoolListener() {
            @Override
            public void onEvent(Event event) {
                System.out.println(event);
            }

            @Override
            public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {
                System.out.println(transfer.id() + " " + result.state());
            }
        };
        try (Pool pool = Pool.open(SpaceUri.parse(args[0]))) {
            PoolWorker.work(pool, Path.of("/nonexistent"),
                    PoolSettings.defaults()
                            .withThreads(1)
                            .withLease(Duration.ofSeconds(2), Duration.ofMillis(200))
                            .withChildren(ChildProgram.of(program, "")),
                    listener, new Progress(), new Cancellation());
        }
    }

    static List<String> command(String address) {
        return List.of(Run.JAVA.toString(), "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Dtreehaul.jar=" + Run.JAR,
                "-Dtreehaul.root=" + System.getProperty("treehaul.root"), "-cp", JavaCommand.classPath(),
                ShortLeaseWorker.class.getName(), address);
    }
}
