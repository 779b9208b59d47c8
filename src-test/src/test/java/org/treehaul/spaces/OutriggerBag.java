// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import net.jini.core.entry.Entry;
import net.jini.core.entry.UnusableEntryException;
import net.jini.core.event.RemoteEvent;
import net.jini.core.event.RemoteEventListener;
import net.jini.core.lease.Lease;
import net.jini.core.lease.UnknownLeaseException;
import net.jini.core.transaction.Transaction;
import net.jini.core.transaction.TransactionException;
import net.jini.space.AvailabilityEvent;
import net.jini.space.JavaSpace;
import net.jini.space.JavaSpace05;
import net.jini.space.MatchSet;
import org.jspecify.annotations.Nullable;
import org.treehaul.spaces.Fruits.Thing;

/** Outrigger, which serves several of these one after another: each leaves it empty. */
final class OutriggerBag implements Bag {
    /** Longer than any test, but finite, so that the state of a thread is that of a wait with a timeout. */
    private static final long LONG = 3_600_000;
    /** Seconds within which a waiting caller is certainly served. */
    private static final long GUARD = 120;
    /** The most to take in one call, unless a test says how many. */
    private static final int MOST = 100;

    private final Outrigger outrigger;
    private final JavaSpace05 space;
    private final List<Lease> leases = new ArrayList<>();
    private final List<Lease> registrations = new ArrayList<>();
    private final List<Transaction> transactions = new ArrayList<>();
    private final AtomicInteger written = new AtomicInteger();
    private final Queue<Heard> available = new ConcurrentLinkedQueue<>();
    private final Queue<Heard> visible = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Queue<Heard>> heardIn = new HashMap<>();

    OutriggerBag(Outrigger outrigger) {
        this.outrigger = outrigger;
        space = outrigger.space();
    }

    private @Nullable Transaction in(int transaction) {
        return transaction == NONE ? null : transactions.get(transaction);
    }

    @Override
    public void write(List<Thing> things, int transaction) throws Exception {
        try {
            if (things.size() == 1) {
                leases.add(space.write(things.getFirst().toEntry(), in(transaction), Lease.FOREVER));
            } else {
                for (Object lease : space.write(things.stream().map(Thing::toEntry).toList(), in(transaction),
                        Collections.nCopies(things.size(), Lease.FOREVER))) {
                    leases.add((Lease) lease);
                }
            }
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public void writeBriefly(Thing lasting, Thing brief) throws Exception {
        for (Object lease : space.write(List.of(lasting.toEntry(), brief.toEntry()), null,
                List.of(Lease.FOREVER, 1L))) {
            leases.add((Lease) lease);
        }
        // It ends no later; the lease itself has a wrong end, as those of all bulk writes.
        await(System.currentTimeMillis() + 1);
    }

    private static void await(long end) throws InterruptedException {
        while (System.currentTimeMillis() <= end) {
            Thread.sleep(1);
        }
    }

    private Optional<Thing> find(Way way, Thing asked, int transaction, long timeout) throws Exception {
        Entry template = asked.toEntry();
        try {
            Entry found = switch (way) {
                case READ -> space.read(template, in(transaction), timeout);
                case TAKE -> space.take(template, in(transaction), timeout);
                case READ_IF_EXISTS -> space.readIfExists(template, in(transaction), timeout);
                case TAKE_IF_EXISTS -> space.takeIfExists(template, in(transaction), timeout);
            };
            return Optional.ofNullable(found).map(Thing::of);
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public Optional<Thing> find(Way way, Thing asked, int transaction) throws Exception {
        return find(way, asked, transaction, JavaSpace.NO_WAIT);
    }

    @Override
    public Waiting await(Way way, Thing asked, int transaction) throws InterruptedException {
        return await(() -> find(way, asked, transaction, LONG));
    }

    @Override
    public Waiting awaitSome(List<Thing> asked, int transaction) throws InterruptedException {
        return await(() -> take(asked, transaction, LONG, MOST).stream().findFirst());
    }

    private static Waiting await(Callable<Optional<Thing>> wish) throws InterruptedException {
        CompletableFuture<Optional<Thing>> thing = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().name("waits").start(() -> {
            try {
                thing.complete(wish.call());
            } catch (Exception e) {
                thing.completeExceptionally(e);
            }
        });
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        return new Waiting() {
            @Override
            public boolean isServed() {
                return thing.isDone();
            }

            @Override
            public Optional<Thing> got() throws Exception {
                try {
                    return thing.get(GUARD, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof EndedException ended ? ended : e;
                }
            }
        };
    }

    @Override
    public List<Thing> takeAll(List<Thing> asked, int transaction) throws Exception {
        List<Thing> all = new ArrayList<>();
        // At least one and at most so many: there may be more.
        for (var some = takeSome(asked, MOST, transaction); !some.isEmpty(); some = takeSome(asked, MOST,
                transaction)) {
            all.addAll(some);
        }
        return all;
    }

    @Override
    public List<Thing> takeSome(List<Thing> asked, int max, int transaction) throws Exception {
        return take(asked, transaction, JavaSpace.NO_WAIT, max);
    }

    private static List<Entry> entries(List<Thing> asked) {
        return asked.stream().map(Thing::toEntry).toList();
    }

    private List<Thing> take(List<Thing> asked, int transaction, long timeout, int max) throws Exception {
        List<Thing> taken = new ArrayList<>();
        try {
            for (Object entry : space.take(entries(asked), in(transaction), timeout, max)) {
                taken.add(Thing.of((Entry) entry));
            }
            return taken;
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public List<Thing> contents(List<Thing> asked, int max, int transaction) throws Exception {
        List<Thing> all = new ArrayList<>();
        try {
            MatchSet found = space.contents(entries(asked), in(transaction), Lease.FOREVER, max);
            for (Entry entry = found.next(); entry != null; entry = found.next()) {
                all.add(Thing.of(entry));
            }
            return all;
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public void begin() {
        transactions.add(outrigger.begin());
    }

    @Override
    public void end(int transaction, boolean isCommit) throws Exception {
        try {
            outrigger.end(transactions.get(transaction), isCommit);
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public void expire(int lease) throws Exception {
        try {
            leases.get(lease).renew(1);
        } catch (UnknownLeaseException e) {
            throw new EndedException(e);
        }
        await(leases.get(lease).getExpiration());
    }

    @Override
    public void cancel(int lease) throws Exception {
        try {
            leases.get(lease).cancel();
        } catch (UnknownLeaseException e) {
            throw new EndedException(e);
        }
    }

    /** Counts the notifications, and keeps the tuples of those that name one. */
    private final class Listener implements RemoteEventListener {
        private final Queue<Heard> told;

        Listener(Queue<Heard> told) {
            this.told = told;
        }

        @Override
        public void notify(RemoteEvent event) {
            if (event instanceof AvailabilityEvent one) {
                try {
                    told.add(new Heard(Thing.of(one.getEntry()), one.isVisibilityTransition()));
                } catch (UnusableEntryException e) {
                    throw new IllegalStateException(e);
                }
            } else {
                written.incrementAndGet();
            }
        }
    }

    @Override
    public void listen(List<Thing> asked) throws Exception {
        registrations.add(space.notify(asked.getFirst().toEntry(), null, new Listener(available), Lease.FOREVER, null)
                .getLease());
        for (boolean isVisibilityOnly : new boolean[]{false, true}) {
            registrations
                    .add(space
                            .registerForAvailabilityEvent(entries(asked), null, isVisibilityOnly,
                                    new Listener(isVisibilityOnly ? visible : available), Lease.FOREVER, null)
                            .getLease());
        }
    }

    @Override
    public void listenIn(List<Thing> asked, int transaction) throws Exception {
        Queue<Heard> told = new ConcurrentLinkedQueue<>();
        try {
            space.registerForAvailabilityEvent(entries(asked), in(transaction), false, new Listener(told),
                    Lease.FOREVER, null);
            heardIn.put(transaction, told);
        } catch (TransactionException e) {
            throw new EndedException(e);
        }
    }

    @Override
    public List<Heard> heardIn(int transaction) {
        return List.copyOf(heardIn.getOrDefault(transaction, new ConcurrentLinkedQueue<>()));
    }

    @Override
    public int writesHeard() {
        return written.get();
    }

    @Override
    public List<Heard> availableHeard() {
        return List.copyOf(available);
    }

    @Override
    public List<Heard> visibleHeard() {
        return List.copyOf(visible);
    }

    @Override
    public void close() {
        if (outrigger.isDeadlocked()) {
            return;
        }
        try {
            for (Lease registration : registrations) {
                registration.cancel();
            }
            for (Transaction transaction : transactions) {
                abort(transaction);
            }
            takeAll(List.of(new Thing(Fruits.Sort.FRUIT, null, null)), NONE);
        } catch (Exception e) {
            throw new IllegalStateException("Outrigger is not empty", e);
        }
    }

    private void abort(Transaction transaction) throws Exception {
        try {
            outrigger.end(transaction, false);
        } catch (TransactionException ended) {
            // Most have ended before.
        }
    }
}
