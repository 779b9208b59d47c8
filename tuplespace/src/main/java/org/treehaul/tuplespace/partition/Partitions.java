// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

import org.treehaul.core.annotation.Api;
import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.PartitionedStore.Use;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.store.StoreProviders;

/**
 * Makes, describes and splits the partitions of a space over several stores. Other processes may use the space in the
 * meantime.
 * <p>
 * An operation that reads many tuples of the space reads its partitions one after another: it has each tuple once, but
 * is no snapshot of all partitions while other processes write.
 */
@Api
public final class Partitions {

    /**
     * One of the stores.
     *
     * @param number number of its partition, from 0
     * @param store its address
     * @param isActive whether the space has the partition; the others wait for a split
     * @param tuples number of tuples that can be read; empty if the store cannot be read, or has tuples of a record
     *        class that is absent here
     * @param bytes size of the store; empty if it is unknown
     * @param problem why the store cannot be used; empty if it can
     */
    public record Status(int number, SpaceUri store, boolean isActive, OptionalLong tuples, OptionalLong bytes,
            Optional<String> problem) {}

    private Partitions() {}

    /**
     * Makes a new space, and writes the file that lists its stores.
     *
     * @param file the list; must not exist
     * @param stores from 1 to 64 addresses; each store is made if absent, and must be empty
     * @param first number of active partitions, at most as many as stores
     * @param limit most tuples of a partition, which is split when it has more; 0 if there is no limit
     * @return the address of the space
     * @throws SpaceException when that fails; then there is no file, and the stores may have been made
     */
    public static SpaceUri create(Path file, List<SpaceUri> stores, int first, long limit) {
        if (first < 1 || limit < 0) {
            throw new IllegalArgumentException(first + " first partitions, a limit of " + limit + " tuples");
        }
        if (first > stores.size()) {
            throw new IllegalArgumentException(first + " partitions need as many stores, not " + stores.size());
        }
        List<String> lines = new ArrayList<>(
                List.of("# the stores of a tuple space, partition 0 first", "first=" + first));
        if (limit > 0) {
            lines.add("limit=" + limit);
        }
        List<SpaceUri> absolute = stores.stream().map(Partitions::absolute).toList();
        absolute.forEach(store -> lines.add(store.toString()));
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException e) {
            throw new SpaceException(Reason.PROVIDER, file + " exists already", e);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
        boolean isDone = false;
        try {
            write(file, lines);
            PartitionFile read = PartitionFile.read(file);
            if (!read.stores().equals(absolute)) {
                throw new SpaceException(Reason.PROVIDER,
                        "a store whose name has a line break, or a space at its end, cannot be listed");
            }
            if (PartitionProvider.exists(read)) {
                SpaceUri taken = read.stores().getFirst();
                throw new SpaceException(Reason.PROVIDER,
                        taken + " is a tuple space already; name "
                                + (taken.scheme().equals(SpaceUri.SQLITE)
                                        ? "an empty directory"
                                        : "another schema, as in ?schema=NAME, or another database"));
            }
            PartitionProvider.open(read, StoreOptions.defaults(), new Deaf(), Use.CHANGE).close();
            isDone = true;
        } finally {
            if (!isDone) {
                remove(file);
            }
        }
        return new SpaceUri(SpaceUri.PARTITIONS, file.toString());
    }

    private static void write(Path file, List<String> lines) {
        try {
            Files.write(file, lines, StandardCharsets.UTF_8, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    private static SpaceException unwritable(Path file, IOException e) {
        return new SpaceException(Reason.IO, file + " cannot be written: " + e, e);
    }

    private static SpaceUri absolute(SpaceUri store) {
        if (store.scheme().equals(SpaceUri.SQLITE)) {
            return SpaceUri.of(store.path().toAbsolutePath());
        }
        try {
            return PartitionFile.checked(store);
        } catch (IllegalArgumentException e) {
            throw new SpaceException(Reason.PROVIDER, String.valueOf(e.getMessage()), e);
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The failure that led here says more.
        }
    }

    /**
     * Returns the addresses of the stores of a space, in the order of the partitions.
     *
     * @throws SpaceException ABSENT if there is no list of them
     */
    public static List<SpaceUri> stores(SpaceUri space) {
        return PartitionFile.readWithoutClasses(space.path()).stores();
    }

    /** Describes the stores of a space, in the order of the partitions, also if some cannot be used. */
    public static List<Status> status(SpaceUri space) {
        List<Found> all = new ArrayList<>();
        for (SpaceUri store : PartitionFile.readWithoutClasses(space.path()).stores()) {
            try {
                all.add(find(all.size(), store));
            } catch (SpaceException e) {
                all.add(new Found(store, OptionalLong.empty(), OptionalLong.empty(),
                        Optional.of(String.valueOf(e.getMessage())), 0, false));
            }
        }
        // A split that did not end has left a state in its store, but no partition names that.
        long active = 1;
        boolean isFirstRead = all.getFirst().hasState();
        for (int number = 0; number < all.size() && !isFirstRead; number++) {
            active |= all.get(number).hasState() ? 1L << number : 0;
        }
        for (int i = 0; i < all.size(); i++) {
            for (int number = 0; number < all.size(); number++) {
                active |= (active & 1L << number) != 0 ? all.get(number).named() : 0;
            }
        }
        List<Status> described = new ArrayList<>();
        for (Found one : all) {
            described.add(one.described(described.size(), (active & 1L << described.size()) != 0));
        }
        return described;
    }

    /**
     * One store, as it describes itself.
     *
     * @param problem empty text if the store does not exist
     * @param named a bit for each partition that it names as active
     * @param hasState whether it has a partition, or would have one if a split had not ended before
     */
    private record Found(SpaceUri store, OptionalLong tuples, OptionalLong bytes, Optional<String> problem, long named,
            boolean hasState) {

        Status described(int number, boolean isActive) {
            boolean isThere = problem.isEmpty() || !problem.get().isEmpty();
            OptionalLong readable = tuples.isEmpty() || isActive ? tuples : OptionalLong.of(0);
            return isThere
                    ? new Status(number, store, isActive, readable, bytes, problem)
                    : new Status(number, store, isActive, tuples, bytes,
                            isActive ? Optional.of("the store is missing") : Optional.empty());
        }
    }

    private static Found find(int number, SpaceUri uri) {
        StoreProvider provider = StoreProviders.of(uri);
        if (!provider.exists(uri)) {
            return new Found(uri, OptionalLong.empty(), OptionalLong.empty(), Optional.of(""), 0, false);
        }
        try (Store store = provider.openToRead(uri, StoreOptions.defaults(), new Deaf())) {
            Attempt<State> own = store.attempt(Partition.STATES, false, Store.NONE);
            long named = own instanceof Attempt.Hit<State>(State state)
                    ? state.active() & PartitionMap.children(number)
                    : 0;
            if (number == 0
                    && store.attempt(Router.LAYOUTS, false, Store.NONE) instanceof Attempt.Hit<Layout>(Layout layout)) {
                named |= layout.active();
            }
            return new Found(uri, tuples(store), bytes(provider, uri), Optional.empty(), named,
                    !(own instanceof Attempt.Miss));
        }
    }

    private static OptionalLong tuples(Store store) {
        try {
            return OptionalLong.of(Partition.count(store));
        } catch (SpaceException e) {
            if (e.reason() != Reason.VERSION) {
                throw e;
            }
            return OptionalLong.empty();
        }
    }

    private static OptionalLong bytes(StoreProvider provider, SpaceUri uri) {
        try {
            return OptionalLong.of(provider.bytes(uri));
        } catch (SpaceException e) {
            return OptionalLong.empty();
        }
    }

    private static <R> R with(SpaceUri space, Use use, Function<PartitionedStore, R> work) {
        PartitionFile file = PartitionFile.readWithoutClasses(space.path());
        if (!PartitionProvider.exists(file)) {
            throw new SpaceException(Reason.ABSENT,
                    PartitionProvider.missingFirst(file).orElse("there is no tuple space at " + space));
        }
        try (PartitionedStore store = PartitionProvider.open(file, StoreOptions.defaults(), new Deaf(), use)) {
            return work.apply(store);
        }
    }

    /** Returns why a space cannot be opened; empty if it can. */
    public static Optional<String> problem(SpaceUri space) {
        try {
            return with(space, Use.READ, store -> Optional.empty());
        } catch (SpaceException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Splits a partition, and returns the number of the new one. Tuples that move can be read, but not taken, until the
     * split is complete.
     *
     * @throws SpaceException ABSENT if there is no store for the new partition; BUSY if transactions use the partition
     *         for too long, or another process splits it; FULL if the disk of either is full; VERSION if a store of
     *         another jar needs a record class that is absent here. The partition is then as before
     */
    public static int split(SpaceUri space, int partition) {
        return with(space, Use.CHANGE, store -> store.split(partition));
    }

    /**
     * Splits each partition that has more tuples than the limit of the space, as long as there are stores, and returns
     * the numbers of the new ones. Removes what earlier splits have left of tuples that are gone.
     *
     * @throws SpaceException as {@link #split}; splits that were complete stay
     */
    public static List<Integer> splitFull(SpaceUri space) {
        long limit = PartitionFile.readWithoutClasses(space.path()).options().limit();
        return with(space, Use.CHANGE, store -> {
            List<Integer> made = new ArrayList<>();
            boolean isDone;
            do {
                isDone = true;
                for (int partition : limit == 0 ? List.<Integer>of() : store.active()) {
                    if (store.canSplit(partition) && store.count(partition) > limit) {
                        made.add(store.split(partition));
                        isDone = false;
                    }
                }
            } while (!isDone);
            store.active().forEach(store::clean);
            return made;
        });
    }

    /** Accepts stores that were restored from backups of different age; tuples that they lack are lost. */
    public static void acceptOld(SpaceUri space) {
        with(space, Use.ACCEPT, store -> {
            store.acceptOld();
            return true;
        });
    }
}
