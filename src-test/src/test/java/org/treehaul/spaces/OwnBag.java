// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import org.treehaul.spaces.Fruits.Fruit;
import org.treehaul.spaces.Fruits.Thing;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.MatchSet;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleEvent;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.tuple.Template;

/** A space of TreeHaul. Its time passes only when a lease is to end. */
final class OwnBag implements Bag {
    private final TupleSpace space;
    private final AtomicLong millis = new AtomicLong(1_000_000_000_000L);
    private final List<Lease> leases = new ArrayList<>();
    private final List<Transaction> transactions = new ArrayList<>();
    private final AtomicInteger written = new AtomicInteger();
    private final Queue<Heard> available = new ConcurrentLinkedQueue<>();
    private final Queue<Heard> visible = new ConcurrentLinkedQueue<>();
    private final Map<Integer, Queue<Heard>> heardIn = new HashMap<>();

    OwnBag(Function<SpaceOptions, TupleSpace> opener) {
        space = opener.apply(SpaceOptions.defaults()
                .clock(() -> Instant.ofEpochMilli(millis.get()))
                .index(Fruits.Apple.class, "name")
                .index(Fruits.Pear.class, "number"));
    }

    private static Template<? extends Fruit> template(Thing asked) {
        Template<? extends Fruit> template = Template.of(asked.sort().type());
        template = asked.name() == null ? template : template.equal("name", asked.name());
        return asked.number() == null ? template : template.equal("number", asked.number());
    }

    private static Template<Fruit> any(List<Thing> asked) {
        return Template.ofAny(Fruit.class, asked.stream().map(OwnBag::template).toList());
    }

    private TupleOperations in(int transaction) {
        return transaction == NONE ? space : transactions.get(transaction);
    }

    private static EndedException ended(SpaceException e) {
        if (e.reason() == Reason.TRANSACTION_ENDED || e.reason() == Reason.UNKNOWN_LEASE) {
            return new EndedException(e);
        }
        throw e;
    }

    @Override
    public void write(List<Thing> things, int transaction) throws EndedException {
        try {
            leases.addAll(in(transaction).writeAll(things.stream().map(Thing::toRecord).toList(), Lease.FOREVER));
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public void writeBriefly(Thing lasting, Thing brief) {
        leases.addAll(space.writeAll(List.of(lasting.toRecord(), brief.toRecord()),
                List.of(Lease.FOREVER, Duration.ofMillis(1))));
        millis.incrementAndGet();
        space.sweep();
    }

    @Override
    public Optional<Thing> find(Way way, Thing asked, int transaction) throws EndedException, InterruptedException {
        Template<? extends Fruit> template = template(asked);
        TupleOperations tuples = in(transaction);
        try {
            Result<? extends Fruit> result = switch (way) {
                case READ -> tuples.read(template, Duration.ZERO);
                case TAKE -> tuples.take(template, Duration.ZERO);
                case READ_IF_EXISTS -> tuples.readIfExists(template, Duration.ZERO);
                case TAKE_IF_EXISTS -> tuples.takeIfExists(template, Duration.ZERO);
            };
            return result.tuple().map(Thing::of);
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public Waiting await(Way way, Thing asked, int transaction) {
        Template<? extends Fruit> template = template(asked);
        TupleOperations tuples = in(transaction);
        return new Wish<>(() -> switch (way) {
            case READ -> tuples.readAsync(template, Lease.FOREVER);
            case TAKE -> tuples.takeAsync(template, Lease.FOREVER);
            case READ_IF_EXISTS -> tuples.readIfExistsAsync(template, Lease.FOREVER);
            case TAKE_IF_EXISTS -> tuples.takeIfExistsAsync(template, Lease.FOREVER);
        }, Thing::of);
    }

    @Override
    public Waiting awaitSome(List<Thing> asked, int transaction) {
        return new Wish<>(() -> in(transaction).takeAllAsync(any(asked), Integer.MAX_VALUE, Lease.FOREVER),
                some -> Thing.of(some.getFirst()));
    }

    /** A request that is withdrawn and made again, to see whether it was served. */
    private static final class Wish<R> implements Waiting {
        private final Supplier<CompletableFuture<? extends Result<? extends R>>> request;
        private final Function<R, Thing> thing;
        private CompletableFuture<? extends Result<? extends R>> made;

        Wish(Supplier<CompletableFuture<? extends Result<? extends R>>> request, Function<R, Thing> thing) {
            this.request = request;
            this.thing = thing;
            made = request.get();
        }

        // The future may be completed a little later; whether it can be cancelled is certain.
        @Override
        public boolean isServed() {
            if (made.cancel(false)) {
                made = request.get();
                return false;
            }
            return true;
        }

        @Override
        public Optional<Thing> got() throws EndedException {
            try {
                return made.join().tuple().map(thing);
            } catch (CompletionException e) {
                if (e.getCause() instanceof SpaceException space) {
                    throw ended(space);
                }
                throw e;
            }
        }
    }

    @Override
    public List<Thing> takeSome(List<Thing> asked, int max, int transaction) throws EndedException {
        try {
            return in(transaction).takeAll(any(asked), max).stream().map(Thing::of).toList();
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public List<Thing> takeAll(List<Thing> asked, int transaction) throws EndedException {
        return takeSome(asked, Integer.MAX_VALUE, transaction);
    }

    @Override
    public List<Thing> contents(List<Thing> asked, int max, int transaction) throws EndedException {
        try (MatchSet<Fruit> found = in(transaction).matches(any(asked), Lease.FOREVER, max)) {
            List<Thing> all = new ArrayList<>();
            for (Optional<Fruit> one = found.next(); one.isPresent(); one = found.next()) {
                all.add(Thing.of(one.get()));
            }
            return all;
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public void begin() {
        transactions.add(space.begin(Lease.FOREVER));
    }

    @Override
    public void end(int transaction, boolean isCommit) throws EndedException {
        try {
            if (isCommit) {
                transactions.get(transaction).commit();
            } else {
                transactions.get(transaction).close();
            }
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public void expire(int lease) throws EndedException {
        try {
            leases.get(lease).renew(Duration.ofMillis(1));
            millis.incrementAndGet();
            space.sweep();
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    @Override
    public void cancel(int lease) throws EndedException {
        try {
            leases.get(lease).cancel();
        } catch (SpaceException e) {
            throw ended(e);
        }
    }

    private static Heard heard(TupleEvent<Fruit> event) {
        return new Heard(Thing.of(event.tuple()), event.isNewlyVisible());
    }

    @Override
    public void listen(List<Thing> asked) {
        space.on(template(asked.getFirst()), EnumSet.of(EventKind.WRITTEN), event -> written.incrementAndGet());
        space.on(any(asked), EnumSet.of(EventKind.AVAILABLE), event -> available.add(heard(event)));
        space.on(any(asked), EnumSet.of(EventKind.VISIBLE), event -> visible.add(heard(event)));
    }

    @Override
    public void listenIn(List<Thing> asked, int transaction) throws EndedException {
        Queue<Heard> told = new ConcurrentLinkedQueue<>();
        try {
            transactions.get(transaction)
                    .on(any(asked), EnumSet.of(EventKind.AVAILABLE), event -> told.add(heard(event)));
            heardIn.put(transaction, told);
        } catch (SpaceException e) {
            throw ended(e);
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
        space.close();
    }
}
