// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.schedulers.pool.submitter.Children;
import org.treehaul.schedulers.pool.submitter.Submitters;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * A worker of a pool. Any number may run, on any hosts that see the state directories, sources and destinations of the
 * transfers; they may begin and end at any time. Used once, by one thread.
 */
public final class PoolWorker {

    private static final Duration NAP = Duration.ofMillis(100);
    // While other workers have the last batches, or a plan grows.
    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final int FEW = 3;
    private static final Duration MOST_PAUSE = Duration.ofSeconds(10);

    private final Pool pool;
    private final PoolSettings settings;
    private final PoolListener listener;
    private final Progress progress;
    private final Cancellation cancellation;
    private final PresentWorker self;
    private final int number;
    private final OfferChoice choice = new OfferChoice();
    private final OwnCarriers carriers;
    private @Nullable Admission admission;
    // Batches of transfers that other workers have, and until when they are left to them.
    private final Map<String, Set<Integer>> avoided = new HashMap<>();
    private final Map<String, LocalBatches> local = new HashMap<>();
    private final Map<String, Integer> refused = new HashMap<>();
    private final Set<String> noticed = new HashSet<>();
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private int batches;
    private boolean isAway;
    // An offer that no program of ours writes would end each waiting at once.
    private boolean isMisled;
    private int finished;
    private long avoidedSince = System.nanoTime();
    private long lastOffer = System.nanoTime();
    private long lastLook = lastOffer;

    private PoolWorker(Pool pool, Path stateDirectory, PoolSettings settings, PoolListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        this.pool = pool;
        this.settings = settings;
        this.listener = listener;
        this.progress = progress;
        this.cancellation = cancellation;
        String host = ThisProcess.host();
        String name = host + ":" + ProcessHandle.current().pid() + ":" + UUID.randomUUID();
        this.self = new PresentWorker(name, ProcessStatus.read().effectiveUid(), host, ProcessHandle.current().pid(),
                "", 0, Instant.now());
        this.number = name.hashCode() & Integer.MAX_VALUE;
        this.carriers = new OwnCarriers(stateDirectory, settings.threads(), number, listener, progress);
    }

    /**
     * Works until the cancellation, or until there was no transfer for the time in the settings. When it returns, the
     * worker has no batch: it gave back the one that it had not finished.
     *
     * @param pool the pool, which stays open
     * @param stateDirectory contains the transfers that the worker may carry out; it leaves others alone
     * @param listener receives failures and notices on any thread
     * @param progress counts the work done
     * @throws SpaceException if the space cannot be used, for a reason that will not pass by itself
     * @throws IOException if this process cannot read its own identity
     */
    public static PoolResult work(Pool pool, Path stateDirectory, PoolSettings settings, PoolListener listener,
            Progress progress, Cancellation cancellation) throws IOException, InterruptedException {
        PoolWorker worker = new PoolWorker(pool, stateDirectory, settings, listener, progress, cancellation);
        try (OwnCarriers _ = worker.carriers) {
            return worker.work();
        } finally {
            if (worker.admission != null) {
                worker.admission.close();
            }
        }
    }

    private PoolResult work() throws IOException, InterruptedException {
        Duration pause = Duration.ofSeconds(1);
        while (!cancellation.isCancelled() && !isIdleForLong()) {
            try (Presence presence = new Presence(pool, self, settings.lease()).start()) {
                presence.idle();
                Admission admitting = admission();
                Closing closing = new Closing(pool, admitting, presence, settings.lease());
                if (isAway) {
                    listener.onEvent(new Event.Notice("the pool answers again"));
                    isAway = false;
                }
                pause = Duration.ofSeconds(1);
                while (!cancellation.isCancelled() && !isIdleForLong()) {
                    step(admitting, presence, closing);
                }
            } catch (SpaceException e) {
                if (!mayPass(e)) {
                    throw e;
                }
                if (!isAway) {
                    listener.onEvent(
                            new Event.Notice("the pool does not answer, and is tried again: " + e.getMessage()));
                    isAway = true;
                }
                nap(pause);
                pause = pause.multipliedBy(2).compareTo(MOST_PAUSE) > 0 ? MOST_PAUSE : pause.multipliedBy(2);
            }
        }
        return new PoolResult(batches, finished, failures);
    }

    // A worker of root serves all users of a space whose server knows who they are.
    private Admission admission() {
        Admission known = admission;
        if (known == null) {
            Consumer<String> notices = text -> listener.onEvent(new Event.Notice(text));
            Optional<Submitters> submitters = self.uid() == 0 && settings.children().isPresent()
                    ? Submitters.of(pool.uri())
                    : Optional.empty();
            known = submitters.<Admission>map(users -> new AllUsers(pool,
                    pool.role()
                            .orElseThrow(() -> new SpaceException(SpaceException.Reason.UNSUPPORTED,
                                    "the space does not record users")),
                    users, carriers,
                    new Children(settings.children().orElseThrow(), settings.threads(), number, notices, progress),
                    notices)).orElseGet(() -> new OwnUser(pool, self.uid(), carriers, notices));
            admission = known;
        }
        return known;
    }

    private static boolean mayPass(SpaceException e) {
        return switch (e.reason()) {
            case IO, BUSY, FULL, UNKNOWN_LEASE, TRANSACTION_ENDED -> true;
            default -> false;
        };
    }

    private boolean isIdleForLong() {
        return Duration.ofNanos(lastLook - lastOffer).compareTo(settings.idle()) > 0;
    }

    // Serves one transfer for a turn, or waits for a while.
    private void step(Admission admitting, Presence presence, Closing closing) throws InterruptedException {
        List<TransferOffer> offers = offers(admitting);
        lastLook = System.nanoTime();
        // Those that it cannot carry out are no reason to stay.
        if (offers.stream().anyMatch(offer -> !refused.containsKey(offer.transfer()))) {
            lastOffer = lastLook;
        }
        Optional<TransferOffer> chosen = choose(admitting, offers);
        if (chosen.isEmpty()) {
            // Near the end of a transfer, it stays with it: to say that it waits would be a change each time.
            if (offers.stream().noneMatch(presence::isAt)) {
                presence.idle();
            }
            if (offers.isEmpty() && !isMisled) {
                isMisled = admitting.awaitOffer(QUIET);
            } else {
                isMisled = false;
                nap(NAP);
            }
            return;
        }
        TransferOffer offer = chosen.get();
        choice.serve(offer, admitting.user(offer));
        try {
            serve(offer, admitting, presence, closing);
            lastOffer = System.nanoTime();
            refused.remove(offer.transfer());
        } catch (IOException e) {
            refuse(offer, e);
            // It does not count as a worker of a transfer that it cannot carry out.
            presence.idle();
        }
    }

    // The directory of a transfer may show a moment later than the offer that it was given to the pool.
    private void refuse(TransferOffer offer, IOException e) {
        int times = refused.merge(offer.transfer(), 1, Integer::sum);
        if (times >= FEW) {
            notice(offer, StateDirectory.reason(e));
        }
        Duration wait = SOON.multipliedBy(1L << Math.min(times, 20));
        choice.avoidUntil(offer, after(wait.compareTo(settings.retry()) > 0 ? settings.retry() : wait));
    }

    private List<TransferOffer> offers(Admission admitting) {
        List<TransferOffer> offers = admitting.offers();
        choice.keepOnly(offers);
        local.keySet().retainAll(offers.stream().map(TransferOffer::place).toList());
        refused.keySet().removeIf(id -> offers.stream().noneMatch(offer -> offer.transfer().equals(id)));
        return offers;
    }

    private Optional<TransferOffer> choose(Admission admitting, List<TransferOffer> offers) {
        List<PresentWorker> others = pool.workers(admitting.ofPool())
                .stream()
                .filter(worker -> !worker.name().equals(self.name()))
                .toList();
        return choice.choose(offers, others, admitting::user, System.nanoTime());
    }

    private void serve(TransferOffer offer, Admission admitting, Presence presence, Closing closing)
            throws IOException, InterruptedException {
        Cancellation stop = Cancellation.of(cancellation);
        // Opening takes long in the process of a user; until then other workers must count this one, or all choose it.
        presence.begin(offer, stop);
        try {
            Optional<Carrier> opened = admitting.open(offer);
            if (opened.isEmpty()) {
                pool.withdraw(offer.transfer(), offer.generation());
            } else {
                serve(offer, admitting, opened.get(), presence, closing, stop);
            }
        } finally {
            admitting.leave();
            // Giving the batches back may fail for the same reason.
            presence.whyStopped().ifPresent(why -> notice(offer, why));
        }
    }

    private void serve(TransferOffer offer, Admission admitting, Carrier carrier, Presence presence, Closing closing,
            Cancellation stop) throws IOException, InterruptedException {
        Set<Integer> others = avoided(offer);
        LocalBatches own = local.computeIfAbsent(offer.place(), _ -> new LocalBatches());
        own.look(carrier, offer.offered());
        long end = after(settings.turn());
        Turn.Start start;
        try (Turn turn = new Turn(pool, offer, admitting, presence, settings.lease(), stop,
                () -> isOver(admitting, offer, end), others, own)) {
            start = turn.begin();
            if (start == Turn.Start.TAKEN) {
                count(offer, carrier.work(turn, stop));
            }
        }
        switch (start) {
            case TAKEN -> {
                // Another turn follows, of this transfer or of another one.
            }
            case BOUNDED -> choice.avoidUntil(offer, after(SOON));
            case NONE -> close(offer, carrier, closing, stop);
        }
        if (!pool.isOffered(offer.transfer(), offer.generation())) {
            // It was withdrawn while this worker had batches and slots of it, which are back now.
            pool.withdraw(offer.transfer(), offer.generation());
        }
    }

    private void close(TransferOffer offer, Carrier carrier, Closing closing, Cancellation stop)
            throws IOException, InterruptedException {
        switch (closing.close(offer, carrier, stop)) {
            case Closing.Offered none -> {
                // The next turn takes these batches.
            }
            case Closing.Later none -> choice.avoidUntil(offer, after(SOON));
            case Closing.Worked worked -> {
                count(offer, worked.finished().work());
                finished += worked.finished().state().isPresent() && !stop.isCancelled() ? 1 : 0;
            }
        }
    }

    private void count(TransferOffer offer, WorkResult result) {
        batches += result.batches();
        result.failures().forEach((kind, many) -> failures.merge(kind, many, Long::sum));
        switch (result.ending()) {
            case DONE, STOPPED -> {
                // The offers show which batches are left.
            }
            case SUPERSEDED -> {
                // The next turn withdraws the offer: now, this one still has some of its batches.
            }
            case GAVE_UP, PLANNER_DIED -> {
                notice(offer, result.problem());
                choice.avoidUntil(offer, after(settings.retry()));
            }
        }
    }

    // Asks only after a turn, because each question reads all offers.
    private boolean isOver(Admission admitting, TransferOffer current, long end) {
        if (System.nanoTime() - end < 0) {
            return false;
        }
        return choose(admitting, offers(admitting)).filter(next -> next.transfer().equals(current.transfer()))
                .isEmpty();
    }

    // A batch that another worker has is tried again after a while, when it may have died.
    private Set<Integer> avoided(TransferOffer offer) {
        if (System.nanoTime() - avoidedSince > settings.lease().toNanos() / 2) {
            avoided.clear();
            avoidedSince = System.nanoTime();
        }
        return avoided.computeIfAbsent(offer.transfer() + "." + offer.generation(), _ -> new HashSet<>());
    }

    // The same transfer may have the same problem a thousand times.
    private void notice(TransferOffer offer, String problem) {
        if (noticed.size() > 1000) {
            noticed.clear();
        }
        if (noticed.add(offer.transfer() + problem)) {
            listener.onEvent(new Event.Notice("transfer " + offer.transfer() + ": " + problem));
        }
    }

    private static long after(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    private void nap(Duration time) throws InterruptedException {
        long end = after(time);
        while (!cancellation.isCancelled() && end - System.nanoTime() > 0) {
            Thread.sleep(Math.min(NAP.toMillis(), Math.max(1, (end - System.nanoTime()) / 1_000_000)));
        }
    }
}
