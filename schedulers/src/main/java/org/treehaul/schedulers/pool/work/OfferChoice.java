// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;

/**
 * Chooses the transfer whose batches a worker takes next. A worker for several users chooses the user with the fewest
 * workers, and among equal ones the one whom it has served least recently. Among this user's transfers it chooses the
 * one of the highest priority; among equal ones the one with the fewest workers; among these the one that it has served
 * least recently. So workers divide themselves evenly among transfers, and one worker alternates between them. Used by
 * one thread.
 */
final class OfferChoice {

    private final Map<String, Long> servedAt = new HashMap<>();
    private final Map<String, Long> userServedAt = new HashMap<>();
    private final Map<String, Long> notBefore = new HashMap<>();
    private long served;

    /** Records that the worker serves a transfer of a user from now on. */
    void serve(TransferOffer offer, String user) {
        servedAt.put(key(offer), ++served);
        userServedAt.put(user, served);
    }

    /** Leaves a transfer out until this time, as System.nanoTime has it. */
    void avoidUntil(TransferOffer offer, long nanos) {
        notBefore.put(key(offer), nanos);
    }

    /**
     * Chooses.
     *
     * @param offers the transfers that this worker may serve
     * @param others the other workers
     * @param user returns the user of an offer
     * @param now the time, as System.nanoTime has it
     */
    Optional<TransferOffer> choose(List<TransferOffer> offers, List<PresentWorker> others,
            Function<TransferOffer, String> user, long now) {
        notBefore.values().removeIf(time -> time - now <= 0);
        Map<String, Long> workers = new HashMap<>();
        others.forEach(worker -> workers.merge(worker.transfer() + "." + worker.generation(), 1L, Long::sum));
        Map<String, Long> workersOfUsers = offers.stream()
                .collect(Collectors.groupingBy(user,
                        Collectors.summingLong(offer -> workers.getOrDefault(key(offer), 0L))));
        Comparator<TransferOffer> byUser = Comparator
                .<TransferOffer>comparingLong(offer -> workersOfUsers.getOrDefault(user.apply(offer), 0L))
                .thenComparing(offer -> userServedAt.getOrDefault(user.apply(offer), 0L))
                .thenComparing(user);
        return offers.stream()
                .filter(offer -> !notBefore.containsKey(key(offer)))
                .min(byUser.thenComparing(Comparator.comparingInt(TransferOffer::priority)
                        .reversed()
                        .thenComparing(offer -> workers.getOrDefault(key(offer), 0L))
                        .thenComparing(offer -> servedAt.getOrDefault(key(offer), 0L))
                        .thenComparing(TransferOffer::since)
                        .thenComparing(TransferOffer::transfer)));
    }

    /** Forgets what it knows of transfers that are not offered any more. */
    void keepOnly(List<TransferOffer> offers) {
        List<String> keys = offers.stream().map(OfferChoice::key).toList();
        servedAt.keySet().retainAll(keys);
        notBefore.keySet().retainAll(keys);
    }

    private static String key(TransferOffer offer) {
        return offer.transfer() + "." + offer.generation();
    }
}
