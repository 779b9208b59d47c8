// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Random programs of operations, inside and outside transactions, have the same results in all stores. The programs are
 * deterministic: at most one tuple matches each read or take.
 */
class DifferentialTest {
    private static final Duration NOW = Duration.ZERO;
    private static final int NAMES = 6;

    @TempDir(factory = InMemory.class)
    Path directory;

    private int splits;

    @SuppressWarnings("NullAway") // set by JUnit
    DifferentialTest() {}

    /** One store's run of a program, with its results. */
    private static final class Run {
        private final TupleSpace space;
        private final FakeClock clock;
        private final List<Transaction> transactions = new ArrayList<>();
        private final List<Lease> leases = new ArrayList<>();

        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final boolean hasEvents;

        Run(TupleSpace space, FakeClock clock, boolean hasEvents) {
            this.space = space;
            this.clock = clock;
            this.hasEvents = hasEvents;
            if (hasEvents) {
                space.on(Template.of(Shape.class), EnumSet.allOf(EventKind.class), event -> events
                        .add(event.kind() + " " + event.tuple() + (event.isNewlyVisible() ? " now visible" : "")));
            }
        }

        /** Returns the events since the last call, sorted; those of one step have no order. */
        private List<String> events() throws InterruptedException {
            List<String> some = new ArrayList<>();
            if (hasEvents) {
                // Else the thread that sweeps may report the ends of leases at any later step.
                space.sweep();
                Circle last = new Circle("last", null);
                space.write(last);
                space.take(Template.of(Circle.class).equal("name", "last"), NOW);
                for (String event = events.take(); !event.equals("TAKEN " + last); event = events.take()) {
                    if (!event.contains(last.toString())) {
                        some.add(event);
                    }
                }
            }
            return some.stream().sorted().toList();
        }

        String step(int operation, int which, int name, int value) throws InterruptedException {
            String result = resultOf(operation, which, name, value);
            return hasEvents ? result + " " + events() : result;
        }

        private String resultOf(int operation, int which, int name, int value) throws InterruptedException {
            TupleOperations tuples = which == 0 || transactions.isEmpty()
                    ? space
                    : transactions.get(which % transactions.size());
            Template<Shape> template = Template.of(Shape.class).equal("name", "n" + name);
            try {
                return switch (operation) {
                    case 0, 1, 2 -> {
                        // At most one tuple of each name, so that the match does not depend on the store.
                        if (space.count(template) > 0 || transactions.stream().anyMatch(one -> has(one, template))
                                || space.readIfExists(template, NOW) instanceof Result.Locked) {
                            yield "there";
                        }
                        leases.add(tuples.write(
                                value % 2 == 0 ? new Circle("n" + name, value) : new Square("n" + name, value),
                                Duration.ofSeconds(1 + value)));
                        yield "written";
                    }
                    case 3, 4 -> tuples.read(template, NOW).toString();
                    case 5, 6 -> tuples.takeIfExists(template, NOW).toString();
                    case 7 -> {
                        transactions.add(space.begin(Duration.ofSeconds(1 + value)));
                        yield "begun";
                    }
                    case 8 -> {
                        if (!transactions.isEmpty()) {
                            transactions.remove(which % transactions.size()).commit();
                        }
                        yield "committed";
                    }
                    case 9 -> {
                        if (!transactions.isEmpty()) {
                            transactions.remove(which % transactions.size()).close();
                        }
                        yield "aborted";
                    }
                    case 10 -> {
                        clock.pass(Duration.ofSeconds(value % 4));
                        yield "passed";
                    }
                    case 11 -> {
                        if (!leases.isEmpty()) {
                            leases.get(which % leases.size()).renew(Duration.ofSeconds(value));
                        }
                        yield "renewed";
                    }
                    case 12 -> {
                        if (!leases.isEmpty()) {
                            leases.remove(which % leases.size()).cancel();
                        }
                        yield "cancelled";
                    }
                    case 13 -> {
                        space.sweep();
                        yield "swept";
                    }
                    case 14 -> {
                        Template<Shape> any = Template.ofAny(Shape.class,
                                List.of(template, Template.of(Shape.class).equal("name", "n" + (name + 1) % NAMES),
                                        Template.of(Circle.class).equal("radius", value)));
                        try (Stream<Shape> all = tuples.contents(any)) {
                            yield sorted(all) + " of which " + sorted(tuples.takeAll(any, 9).stream());
                        }
                    }
                    case 15 -> {
                        if (!transactions.isEmpty()) {
                            transactions.get(which % transactions.size()).lease().renew(Duration.ofSeconds(value));
                        }
                        yield "renewed";
                    }
                    case 16 -> {
                        if (!transactions.isEmpty()) {
                            transactions.get(which % transactions.size()).lease().cancel();
                        }
                        yield "cancelled";
                    }
                    case 17 -> {
                        try (Stream<Shape> all = tuples.contents(Template.of(Shape.class), Order.by("name"),
                                space.equals(tuples) ? value % 4 : NAMES)) {
                            yield all.toList().toString();
                        }
                    }
                    case 18 -> String.valueOf(
                            tuples.remove(Template.ofAny(Shape.class, List.of(template, Template.of(Square.class)))));
                    default -> {
                        try (Stream<Shape> all = tuples.contents(Template.of(Shape.class))) {
                            yield tuples.count(Template.of(Shape.class)) + " "
                                    + tuples.sum(Template.of(Circle.class).atLeast("radius", 3), "radius") + " "
                                    + sorted(all);
                        }
                    }
                };
            } catch (SpaceException e) {
                return e.reason().toString();
            }
        }

        private static List<String> sorted(Stream<Shape> shapes) {
            return shapes.map(Object::toString).sorted().toList();
        }

        private static boolean has(Transaction transaction, Template<Shape> template) {
            try {
                return transaction.count(template) > 0;
            } catch (SpaceException ended) {
                return false;
            }
        }
    }

    private void compare(int programs, int steps, long seed, IntFunction<SpaceUri> address)
            throws InterruptedException {
        compareWith(programs, steps, seed,
                (program, options) -> new Durable(TupleSpaces.open(address.apply(program), options), random -> {
                }));
    }

    /**
     * The space to compare.
     *
     * @param before changes it before each step, without a difference to its users
     */
    private record Durable(TupleSpace space, Consumer<Random> before) {}

    private static void compareWith(int programs, int steps, long seed,
            BiFunction<Integer, SpaceOptions, Durable> opener) throws InterruptedException {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int program = 0; program < programs; program++) {
            FakeClock one = new FakeClock();
            FakeClock other = new FakeClock();
            List<String> done = new ArrayList<>();
            Durable opened = opener.apply(program, SpaceOptions.defaults().clock(other).index(Circle.class, "name"));
            try (TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults().clock(one).index(Circle.class, "name"));
                    TupleSpace durable = opened.space()) {
                boolean hasEvents = program % 4 > 1;
                Run first = new Run(memory, one, hasEvents);
                Run second = new Run(durable, other, hasEvents);
                for (int step = 0; step < steps; step++) {
                    int operation = random.nextInt(20);
                    int which = random.nextInt(4);
                    int name = random.nextInt(NAMES);
                    int value = random.nextInt(10);
                    String expected = first.step(operation, which, name, value);
                    opened.before().accept(random);
                    String actual = second.step(operation, which, name, value);
                    done.add(operation + " " + which + " " + name + " " + value + ": " + expected);
                    assertThat(actual).as("seed %s, program %s: %s", seed, program, done).isEqualTo(expected);
                }
                first.transactions.forEach(Transaction::close);
                second.transactions.forEach(Transaction::close);
            }
        }
    }

    @Test
    void bothStoresAnswerTenProgramsAlike() throws Exception {
        compare(10, 150, System.nanoTime(), this::inFile);
    }

    private SpaceUri inFile(int program) {
        return SpaceUri.of(directory.resolve("space" + program));
    }

    @Test
    void postgresAnswersFiveProgramsAsTheMemoryDoes() throws Exception {
        compare(5, 150, System.nanoTime(), program -> PostgresServer.shared().fresh());
    }

    @Test
    @Tag("campaign")
    void postgresAnswersHundredsOfProgramsAsTheMemoryDoes() throws Exception {
        compare(Campaign.cases(200), 300, Campaign.seed(System.nanoTime()), program -> PostgresServer.shared().fresh());
    }

    /** Returns the address of a space over four partitions, in files or in PostgreSQL. */
    private SpaceUri partitioned(int program) {
        Path list = directory.resolve("list" + program);
        List<SpaceUri> stores = IntStream.range(0, 4)
                .mapToObj(number -> program % 2 == 0
                        ? SpaceUri.of(directory.resolve("p" + program + "." + number))
                        : PostgresServer.shared().fresh())
                .toList();
        return Partitions.create(list, stores, 4, 0);
    }

    @Test
    @Tag("rig")
    void partitionsAnswerFourProgramsAsTheMemoryDoes() throws Exception {
        compare(4, 100, System.nanoTime(), this::partitioned);
    }

    /** Returns a space that begins with one partition, and splits one now and then, if no transaction uses it. */
    private Durable splitting(int program, SpaceOptions options) {
        StoreOptions impatient = options.patience(Duration.ZERO).store();
        List<Function<StoreListener, Store>> stores = IntStream.range(0, 8)
                .mapToObj(number -> program % 2 == 0
                        ? SpaceUri.of(directory.resolve("split" + program + "." + number))
                        : PostgresServer.shared().fresh())
                .<Function<StoreListener, Store>>map(
                        uri -> listener -> StoreProviders.of(uri).open(uri, options.store(), listener))
                .toList();
        PartitionedStore[] opened = new PartitionedStore[1];
        TupleSpace space = Space.over(listener -> {
            opened[0] = PartitionedStore.open(stores, PartitionOptions.ofFirst(1), impatient, listener);
            return opened[0];
        }, options);
        return new Durable(space, random -> {
            if (random.nextInt(12) == 0) {
                List<Integer> active = opened[0].active();
                try {
                    splits += opened[0].split(active.get(random.nextInt(active.size()))) > 0 ? 1 : 0;
                } catch (SpaceException e) {
                    assertThat(e.reason()).isIn(SpaceException.Reason.BUSY, SpaceException.Reason.ABSENT);
                }
            }
        });
    }

    @Test
    @Tag("rig")
    void partitionsThatSplitAnswerFourProgramsAsTheMemoryDoes() throws Exception {
        compareWith(4, 100, System.nanoTime(), this::splitting);
        assertThat(splits).isPositive();
    }

    @Test
    @Tag("campaign")
    void partitionsThatSplitAnswerHundredsOfProgramsAsTheMemoryDoes() throws Exception {
        compareWith(Campaign.cases(200), 300, Campaign.seed(System.nanoTime()), this::splitting);
        assertThat(splits).isPositive();
    }

    @Test
    @Tag("campaign")
    void partitionsAnswerHundredsOfProgramsAsTheMemoryDoes() throws Exception {
        compare(Campaign.cases(100), 300, Campaign.seed(System.nanoTime()), this::partitioned);
    }

    @Test
    @Tag("campaign")
    void bothStoresAnswerHundredsOfProgramsAlike() throws Exception {
        compare(Campaign.cases(300), 300, Campaign.seed(System.nanoTime()), this::inFile);
    }
}
