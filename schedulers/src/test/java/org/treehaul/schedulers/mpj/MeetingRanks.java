// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

import org.treehaul.strategies.ranks.communicator.Communicator;

/** Ranks that are threads of this process, but meet and exchange messages over the network as processes do. */
final class MeetingRanks {

    private MeetingRanks() {}

    /** Runs each place on a thread; returns the exception of each that failed. */
    static Map<Integer, Throwable> run(List<RankPlace> places, Consumer<Communicator> body) {
        MpjHome home = MpjInstalled.home();
        return run(places, place -> home, body);
    }

    /** Does the same, with the installation of MPJ Express that each place has. */
    static Map<Integer, Throwable> run(List<RankPlace> places, Function<RankPlace, MpjHome> home,
            Consumer<Communicator> body) {
        Map<Integer, Throwable> failed = Collections.synchronizedMap(new TreeMap<>());
        List<Thread> threads = new ArrayList<>();
        try {
            // The file may hold the reason why an earlier group broke.
            Files.deleteIfExists(places.getFirst().meetingFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (RankPlace place : places) {
            threads.add(Thread.ofPlatform().daemon(true).start(() -> {
                try {
                    MpjTransports.processes(home.apply(place), place, reason -> {
                    }).run(Collections.nCopies(place.size(), 0), body);
                } catch (RuntimeException | AssertionError e) {
                    failed.put(place.rank(), e);
                }
            }));
        }
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        return failed;
    }
}
