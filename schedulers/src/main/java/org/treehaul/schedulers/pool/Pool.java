// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A pool: a tuple space and the offers in it. Methods throw {@link SpaceException} if the space does not answer.
 * Thread-safe.
 */
public final class Pool implements AutoCloseable {

    // A worker whose space is away reports it soon, and tries again; see PoolWorker.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final SpaceOptions OPTIONS = SpaceOptions.defaults()
            .patience(PATIENCE)
            .index(BatchOffer.class, "transfer")
            .index(TransferOffer.class, "transfer")
            .index(FinishOffer.class, "transfer")
            .index(Slot.class, "place")
            .index(PresentWorker.class, "name");

    private static final Comparator<TransferOffer> FIRST = Comparator.comparingInt(TransferOffer::priority)
            .reversed()
            .thenComparing(TransferOffer::since)
            .thenComparing(TransferOffer::transfer);
    // So many forged slots are skipped in the middle of a turn; if there are more, these are removed first.
    private static final int FEW_FORGED = 16;
    private static final int MOST_FORGED = 10_000;
    // Bytes of the keys of offers that are in memory at a time; some 60,000 keys.
    private static final long KEYS = 16L << 20;
    // No path of this system is longer, even if each byte is escaped.
    private static final int LONGEST_PATH = 4 * 4096;

    private static final Pattern PLACE = Pattern.compile("[0-9]{8}-[0-9]{6}-[a-z0-9]{4}\\.[0-9]{1,9}");

    private final TupleSpace space;
    private final SpaceUri uri;

    private final Consumer<String> unreadable;

    private Pool(TupleSpace space, SpaceUri uri, Consumer<String> unreadable) {
        this.space = space;
        this.uri = uri;
        this.unreadable = unreadable;
    }

    private Pool(TupleSpace space, SpaceUri uri) {
        this(space, uri, ignored -> {
        });
    }

    /** Opens the pool at an address; creates the space if it is absent. */
    public static Pool open(SpaceUri uri) {
        return new Pool(TupleSpaces.open(uri, OPTIONS), uri);
    }

    /** Opens the pool at an address if its space exists. */
    static Pool openExisting(SpaceUri uri) {
        return new Pool(TupleSpaces.openExisting(uri, OPTIONS), uri);
    }

    /** Returns the address of its space. */
    public SpaceUri uri() {
        return uri;
    }

    /**
     * Opens the pool at an address to look at it, for which the right to read its space is enough.
     *
     * @param unreadable receives a message for each malformed tuple that a method of the pool leaves out
     * @throws SpaceException ABSENT if there is no space
     */
    public static Pool openToRead(SpaceUri uri, Consumer<String> unreadable) {
        return new Pool(TupleSpaces.openToRead(uri, OPTIONS), uri, unreadable);
    }

    /** Begins a transaction. */
    public Transaction begin(Duration lease) {
        return space.begin(lease);
    }

    /** Offers a transfer and some of its batches, all at once. */
    void offer(TransferOffer offer, int batches) {
        List<Record> tuples = new ArrayList<>();
        tuples.add(offer);
        tuples.add(new FinishOffer(offer.transfer(), offer.generation()));
        IntStream.range(0, offer.most()).forEach(number -> tuples.add(new Slot(offer.place(), number)));
        IntStream.range(0, batches)
                .forEach(batch -> tuples.add(new BatchOffer(offer.transfer(), offer.generation(), batch)));
        space.writeAll(tuples, Lease.FOREVER);
    }

    /**
     * Offers the batches that the plan has gained since the last ones were offered.
     *
     * @param trust the users who are believed; unless these are all users, the offer stays as its user wrote it
     */
    public static void offerMore(TupleOperations within, TransferOffer offer, int batches, Trust trust) {
        List<Record> tuples = new ArrayList<>();
        int offered = offered(within, offer, trust);
        if (trust.isEverybody()) {
            within.remove(transfer(offer.transfer(), offer.generation()));
            tuples.add(offer.withOffered(batches));
        } else {
            within.remove(more(offer.transfer(), offer.generation()));
            tuples.add(new PlannedMore(offer.transfer(), offer.generation(), batches));
        }
        IntStream.range(offered, batches)
                .forEach(batch -> tuples.add(new BatchOffer(offer.transfer(), offer.generation(), batch)));
        within.writeAll(tuples, Lease.FOREVER);
    }

    /** Returns the number of batches of a transfer that were offered so far. */
    public static int offered(TupleOperations within, TransferOffer offer, Trust trust) {
        if (trust.isEverybody()) {
            return offer.offered();
        }
        Template<PlannedMore> readable = more(offer.transfer(), offer.generation()).range("offered", 0,
                Integer.MAX_VALUE);
        try (Stream<Owned<PlannedMore>> more = within.ownedContents(readable)) {
            return more.filter(trust::covers).mapToInt(one -> one.tuple().offered()).reduce(offer.offered(), Math::max);
        }
    }

    /** Removes a transfer, and all that it offers and no worker has. */
    public static void withdraw(TupleOperations within, String transfer, int generation) {
        within.remove(transfer(transfer, generation));
        within.remove(batches(transfer, generation));
        within.remove(finish(transfer, generation));
        within.remove(Template.of(Slot.class).equal("place", transfer + "." + generation));
        within.remove(more(transfer, generation));
    }

    /** Does the same at once. */
    public void withdraw(String transfer, int generation) {
        withdraw(space, transfer, generation);
    }

    /** Returns whether a transfer is offered; so is one whose offer another worker is just replacing. */
    public boolean isOffered(String transfer, int generation) {
        try {
            return !(space.readIfExists(transfer(transfer, generation), Duration.ZERO) instanceof Result.Empty<?>);
        } catch (RuntimeException e) {
            if (ReadableTuples.mayPass(e)) {
                throw e;
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Returns the transfers that are offered. */
    public List<TransferOffer> transfers() {
        return all(Template.of(TransferOffer.class));
    }

    /**
     * Returns the transfers that are offered, with the users who offer them if the space records users; of one user not
     * more than the first 2,000 by priority and time. Leaves out malformed offers, which TreeHaul does not write.
     */
    public List<Owned<TransferOffer>> ownedTransfers() {
        return readable(TransferOffer.class, List.of("transfer", "generation"), owned -> isValid(owned.tuple()), FIRST)
                .of(Template.of(TransferOffer.class).range("generation", 1, Integer.MAX_VALUE));
    }

    // A member of the space may write anything into its tables, also null.
    @SuppressWarnings({"NullAway", "ConstantValue"})
    private static boolean isValid(TransferOffer offer) {
        return offer.generation() > 0 && offer.most() >= 0 && offer.offered() >= 0 && offer.transfer() != null
                && TransferId.isId(offer.transfer()) && offer.directory() != null && offer.destination() != null
                && offer.directory().length() <= LONGEST_PATH && offer.destination().length() <= LONGEST_PATH
                && offer.since() != null;
    }

    @SuppressWarnings({"NullAway", "ConstantValue"})
    private static boolean isValid(PresentWorker worker) {
        return worker.name() != null && worker.host() != null && worker.transfer() != null && worker.since() != null;
    }

    /**
     * Returns the {@linkplain TransferOffer#place names} of some transfers of which batches are offered.
     *
     * @param except those that are left out
     * @param most how many names to return at most
     */
    public Set<String> offeredBatches(Set<String> except, int most) {
        Set<String> places = new HashSet<>();
        space.groupByInParts(Template.of(BatchOffer.class).range("generation", 1, Integer.MAX_VALUE),
                List.of("transfer", "generation"), KEYS, group -> {
                    String place = group.key().getFirst() + "." + group.key().getLast();
                    if (places.size() < most && PLACE.matcher(place).matches() && !except.contains(place)) {
                        places.add(place);
                    }
                }, Aggregate.count());
        return places;
    }

    /**
     * Waits until any user offers a transfer that this program understands, for at most this time; returns whether one
     * does. It may be one that {@link #ownedTransfers} leaves out.
     */
    public boolean awaitTransfer(Duration most) throws InterruptedException {
        return await(Template.of(TransferOffer.class).equal("format", TransferOffer.FORMAT), most);
    }

    /** Waits in the same way until this user offers one. */
    public boolean awaitTransfer(long uid, Duration most) throws InterruptedException {
        return await(Template.of(TransferOffer.class).equal("uid", uid).equal("format", TransferOffer.FORMAT), most);
    }

    private boolean await(Template<TransferOffer> offers, Duration most) throws InterruptedException {
        try {
            return space.read(offers, most) instanceof Result.Found<?>;
        } catch (RuntimeException e) {
            if (ReadableTuples.mayPass(e)) {
                throw e;
            }
            // There is one that no program of ours writes.
            Thread.sleep(most);
            return false;
        }
    }

    /** Returns the number of batches of a transfer that no worker has. */
    public long waitingBatches(TransferOffer offer) {
        return space.count(batches(offer, Set.of()));
    }

    /** Returns the workers that have given a sign of life. Leaves out those that no program of ours writes. */
    public List<PresentWorker> workers() {
        return workers(Trust.EVERYBODY);
    }

    /** Returns the workers whose tuples are believed. */
    public List<PresentWorker> workers(Trust trust) {
        return tuples(
                readable(PresentWorker.class, List.of("name"), owned -> trust.covers(owned) && isValid(owned.tuple()),
                        Comparator.comparing(PresentWorker::name)).of(Template.of(PresentWorker.class)));
    }

    /** Returns the user by whom the server knows this process; empty if the space records no users. */
    public Optional<String> role() {
        // In a transaction that ends at once: others have no time to write a tuple like it, unlike that of the worker.
        Slot mark = new Slot(UUID.randomUUID().toString(), 0);
        try (Transaction transaction = space.begin(PATIENCE.multipliedBy(2))) {
            transaction.write(mark);
            try (Stream<Owned<Slot>> own = transaction
                    .ownedContents(Template.of(Slot.class).equal("place", mark.place()))) {
                List<Optional<String>> owners = own.map(Owned::owner).distinct().toList();
                if (owners.size() != 1) {
                    throw new SpaceException(SpaceException.Reason.BUSY,
                            "another process meddles with a tuple of this one");
                }
                return owners.getFirst();
            }
        }
    }

    /** Returns the bounds of directories. */
    public List<PlaceBound> bounds() {
        return bounds(Trust.EVERYBODY);
    }

    /** Returns the bounds whose tuples are believed. */
    public List<PlaceBound> bounds(Trust trust) {
        return tuples(
                readable(PlaceBound.class, List.of("place"), owned -> trust.covers(owned) && isValid(owned.tuple()),
                        Comparator.comparing(PlaceBound::place)).of(Template.of(PlaceBound.class)));
    }

    @SuppressWarnings({"NullAway", "ConstantValue"})
    private static boolean isValid(PlaceBound bound) {
        return bound.place() != null;
    }

    private <T> List<T> all(Template<T> template) {
        try (Stream<T> contents = space.contents(template)) {
            return contents.toList();
        }
    }

    private static <T> List<T> tuples(List<Owned<T>> owned) {
        return owned.stream().map(Owned::tuple).toList();
    }

    private <T> ReadableTuples<T> readable(Class<T> type, List<String> key, Predicate<Owned<T>> wanted,
            Comparator<? super T> order) {
        return new ReadableTuples<>(space, type, key, wanted, order, unreadable);
    }

    /** Writes that a worker is there, in the place of what it wrote before. */
    public Lease present(PresentWorker worker, Duration lease) {
        try (Transaction transaction = space.begin(lease)) {
            transaction.remove(present(worker.name()));
            Lease own = transaction.write(worker, lease);
            transaction.commit();
            return own;
        }
    }

    /** Removes a worker. */
    public void leave(String name) {
        space.remove(present(name));
    }

    /**
     * Lets at most this number of workers write below a directory at the same time; those that already do so finish
     * their batches.
     *
     * @param place the absolute path of the directory
     * @param most 0 for no bound
     */
    public void bound(String place, int most) {
        bound(place, most, Trust.EVERYBODY);
    }

    /**
     * Does the same for workers that believe only these users: what others say about earlier bounds does not count.
     */
    public void bound(String place, int most, Trust trust) {
        space.atomically(within -> {
            Template<PlaceBound> these = Template.of(PlaceBound.class).equal("place", place);
            int slots;
            try (Stream<Owned<PlaceBound>> old = within
                    .ownedContents(these.range("most", 0, Integer.MAX_VALUE).range("slots", 0, Integer.MAX_VALUE))) {
                slots = old.filter(trust::covers).mapToInt(bound -> bound.tuple().slots()).max().orElse(0);
            }
            within.remove(these);
            within.write(new PlaceBound(place, most, Math.max(slots, most)));
            within.writeAll(IntStream.range(slots, most).mapToObj(number -> new Slot(place, number)).toList(),
                    Lease.FOREVER);
            return slots;
        });
    }

    /**
     * The outcome of {@link #takeSlot}.
     *
     * @param slot the slot; empty if other workers have them all, or if those that are not believed hide them
     * @param isFlooded whether there are many that are not believed
     */
    public record SlotTake(Optional<Slot> slot, boolean isFlooded) {}

    /**
     * Takes one of the slots below a bound. A few that are not believed are taken too, and are gone when the
     * transaction is committed.
     */
    public static SlotTake takeSlot(TupleOperations within, String place, int most, Trust trust) {
        Template<Slot> slots = slots(place, most);
        for (int i = 0; i < FEW_FORGED; i++) {
            List<Owned<Slot>> taken = within.takeOwned(slots, 1);
            if (taken.isEmpty()) {
                return new SlotTake(Optional.empty(), false);
            }
            if (trust.covers(taken.getFirst())) {
                return new SlotTake(Optional.of(taken.getFirst().tuple()), false);
            }
        }
        return new SlotTake(Optional.empty(), true);
    }

    /** Removes slots below a bound that are not believed; if there are very many, some of them. */
    public void removeForgedSlots(String place, int most, Trust trust) {
        space.atomically(within -> {
            List<Owned<Slot>> some = within.takeOwned(slots(place, most), MOST_FORGED);
            return within.writeAll(some.stream().filter(trust::covers).map(Owned::tuple).toList(), Lease.FOREVER);
        });
    }

    private static Template<Slot> slots(String place, int most) {
        return Template.of(Slot.class).equal("place", place).range("number", 0, most - 1);
    }

    /** Returns the places at which a transfer needs a slot, with their bounds. */
    public static List<PlaceBound> places(TransferOffer offer, List<PlaceBound> bounds) {
        List<PlaceBound> places = new ArrayList<>(
                bounds.stream().filter(bound -> bound.covers(offer.destination())).toList());
        if (offer.most() > 0) {
            places.add(new PlaceBound(offer.place(), offer.most(), offer.most()));
        }
        return places;
    }

    private static Template<TransferOffer> transfer(String transfer, int generation) {
        return Template.of(TransferOffer.class).equal("transfer", transfer).equal("generation", generation);
    }

    private static Template<BatchOffer> batches(String transfer, int generation) {
        return Template.of(BatchOffer.class).equal("transfer", transfer).equal("generation", generation);
    }

    /**
     * Returns the template of the batches that a transfer offers, except some. It does not match numbers that are none
     * of a batch, which another member may have written: they could not be read.
     */
    public static Template<BatchOffer> batches(TransferOffer offer, Set<Integer> except) {
        Template<BatchOffer> all = batches(offer.transfer(), offer.generation()).range("batch", 0, Integer.MAX_VALUE);
        return except.isEmpty() ? all : all.not(new Condition.In("batch", Set.copyOf(except)));
    }

    /** Returns the template of the right to finish a transfer. */
    public static Template<FinishOffer> finish(TransferOffer offer) {
        return finish(offer.transfer(), offer.generation());
    }

    private static Template<FinishOffer> finish(String transfer, int generation) {
        return Template.of(FinishOffer.class).equal("transfer", transfer).equal("generation", generation);
    }

    private static Template<PlannedMore> more(String transfer, int generation) {
        return Template.of(PlannedMore.class).equal("transfer", transfer).equal("generation", generation);
    }

    private static Template<PresentWorker> present(String name) {
        return Template.of(PresentWorker.class).equal("name", name);
    }

    @Override
    public void close() {
        space.close();
    }
}
