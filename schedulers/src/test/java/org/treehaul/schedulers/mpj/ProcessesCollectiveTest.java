// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.strategies.collective.CollectiveContract;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** Collective reads and writes over the network of MPJ Express. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ProcessesCollectiveTest extends CollectiveContract {

    @TempDir
    Path directory;

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        List<RankPlace> places = IntStream.range(0, ranks)
                .mapToObj(rank -> new RankPlace(rank, ranks, "host" + hosts(ranks).get(rank),
                        directory.resolve("meeting"), 0, "1.0", "a plan", Duration.ofSeconds(60),
                        RankPlace.SILENCE_LIMIT))
                .toList();
        Collection<Throwable> failed = MeetingRanks.run(places, body).values();
        // The other exceptions only say that the group broke.
        failed.stream()
                .filter(e -> !(e instanceof RanksException))
                .findFirst()
                .or(() -> failed.stream().findFirst())
                .ifPresent(ProcessesCollectiveTest::rethrow);
    }

    private static void rethrow(Throwable e) {
        switch (e) {
            case RuntimeException exception -> throw exception;
            case Error error -> throw error;
            default -> throw new IllegalStateException(e);
        }
    }

    @Override
    protected int cases() {
        return 1;
    }
}
