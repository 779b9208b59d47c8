// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.spaces.Bag.EndedException;
import org.treehaul.spaces.Bag.Heard;
import org.treehaul.spaces.Bag.Waiting;
import org.treehaul.spaces.Bag.Way;
import org.treehaul.spaces.Fruits.Sort;
import org.treehaul.spaces.Fruits.Thing;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Random programs of operations have the same results in Outrigger, in memory, and in a file, on a PostgreSQL server or
 * over four partitions, wherever the specification of JavaSpaces determines the result. If several tuples match, one
 * space chooses, and the others must have the same tuple. Operations that differ by design are left out:
 * {@code ...IfExists} waits in Outrigger also for the end of a transaction that has written a match.
 */
class OutriggerTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    /** More than a program writes. */
    private static final int MOST = 1000;
    private static final int PARTITIONS = 4;

    private static @Nullable Outrigger outrigger;

    @BeforeContainer
    static void start() throws Exception {
        outrigger = Outrigger.start();
    }

    @AfterContainer
    static void stop() throws Exception {
        if (outrigger != null) {
            outrigger.close();
        }
    }

    enum Operation {
        WRITE,
        WRITE_TWO,
        WRITE_BRIEFLY,
        FIND,
        FIND_IN_LAST,
        TAKE_ALL,
        TAKE_SOME,
        WAIT,
        WAIT_FOR_SOME,
        CONTENTS,
        SOME_CONTENTS,
        BEGIN,
        LISTEN,
        COMMIT,
        ABORT,
        EXPIRE,
        CANCEL
    }

    /**
     * A line of a program.
     *
     * @param which transaction, lease or thing, counted among those there are
     * @param chooser which space chooses
     */
    record Step(Operation operation, int which, Way way, Sort sort, @Nullable String name, Sort other, int chooser) {

        /** Those of one call; a thing may match both. */
        List<Thing> templates() {
            return List.of(new Thing(sort, name, null), new Thing(other, "a", null));
        }
    }

    /** The spaces, and the operations performed on them. */
    private static final class Run {
        private final List<Bag> bags;
        private final Map<Integer, List<Waiting>> waiting = new HashMap<>();
        /** The kinds that the callers waiting for a number accept. */
        private final Map<Integer, Sort> sorts = new HashMap<>();
        /** The tuples written in open transactions, with the number of the transaction. */
        private final Map<Integer, Integer> invisible = new HashMap<>();
        /** The leases that Outrigger knows afterwards: it does not know those of bulk writes. */
        private final List<Integer> leased = new ArrayList<>();
        /** The numbers of those whose leases have ended, or were cancelled. */
        private final Set<Integer> expired = new HashSet<>();
        private final Map<Integer, Listening> listening = new HashMap<>();
        private final List<String> said = new ArrayList<>();
        private int things;
        private int transactions;

        Run(List<Bag> bags) {
            this.bags = bags;
        }

        /** The registration of a transaction, with the number of tuples at its beginning. */
        private record Listening(List<Thing> templates, int things) {}

        /** An operation on one space. */
        private interface Deed<T, R> {
            R to(T to) throws Exception;
        }

        /**
         * Performs an operation on all spaces and returns the common result, or nothing if the transaction or the lease
         * has ended.
         */
        private <T, R> Optional<R> alike(String what, List<T> which, Deed<T, R> deed) throws Exception {
            List<Optional<R>> answers = new ArrayList<>();
            said.add(what);
            for (T one : which) {
                try {
                    answers.add(Optional.of(deed.to(one)));
                } catch (EndedException e) {
                    answers.add(Optional.empty());
                }
            }
            said.add(" -> " + answers.getFirst().map(Object::toString).orElse("ended") + "\n");
            assertThat(answers).as("%s", this).containsOnly(answers.getFirst());
            return answers.getFirst();
        }

        @Override
        public String toString() {
            return String.join("", said);
        }

        void step(Step step) throws Exception {
            // A number one above the last means no transaction.
            int transaction = step.which() % (transactions + 1) - 1;
            Sort sort = step.sort() == Sort.FRUIT ? Sort.APPLE : step.sort();
            Thing template = new Thing(step.sort(), step.name(), null);
            String in = " in " + transaction;
            switch (step.operation()) {
                case WRITE -> write(List.of(new Thing(sort, step.name(), things + 1)), transaction);
                case WRITE_TWO ->
                    write(List.of(new Thing(sort, step.name(), things + 1), new Thing(Sort.PEAR, null, things + 2)),
                            transaction);
                case WRITE_BRIEFLY ->
                    writeBriefly(new Thing(sort, step.name(), things + 1), new Thing(sort, step.name(), things + 2));
                case FIND -> find(step.way(), template, transaction, step.chooser());
                // In the newest transaction, which is the likeliest to be live.
                case FIND_IN_LAST -> find(step.way(), template, transactions - 1, step.chooser());
                case TAKE_ALL -> alike("take all " + step.templates() + in, bags,
                        bag -> sorted(bag.takeAll(step.templates(), transaction)));
                case TAKE_SOME -> takeSome(step, transaction);
                case WAIT, WAIT_FOR_SOME -> beginToWait(step, transaction);
                case CONTENTS -> alike("contents " + step.templates() + in, bags,
                        bag -> sorted(bag.contents(step.templates(), MOST, transaction)));
                case SOME_CONTENTS -> someContents(step, transaction);
                case BEGIN -> begin();
                case LISTEN -> listen(step.templates());
                case COMMIT -> end(transaction, true);
                case ABORT -> end(transaction, false);
                case EXPIRE -> lease("expire", step, Bag::expire);
                case CANCEL -> lease("cancel", step, Bag::cancel);
            }
            settle();
        }

        private void write(List<Thing> written, int transaction) throws Exception {
            if (alike("write " + written + " in " + transaction, bags, bag -> {
                bag.write(written, transaction);
                return "done";
            }).isPresent()) {
                if (written.size() == 1) {
                    leased.add(things);
                }
                things += written.size();
                if (transaction != Bag.NONE) {
                    written.forEach(thing -> invisible.put(thing.number(), transaction));
                }
            }
        }

        /**
         * Bulk writes give each tuple a lease of its own; in transactions Outrigger does not check them at the commit.
         */
        private void writeBriefly(Thing lasting, Thing brief) throws Exception {
            if (!waiting.containsKey(brief.number())) {
                alike("write " + lasting + ", and briefly " + brief, bags, bag -> {
                    bag.writeBriefly(lasting, brief);
                    return "done";
                });
                things += 2;
                expired.add(Objects.requireNonNull(brief.number()));
            }
        }

        /** One space chooses which tuples to take; the specification says neither how many nor which. */
        private void takeSome(Step step, int transaction) throws Exception {
            int max = 1 + step.which() % 3;
            List<Thing> taken = choose("take up to " + max, step, transaction,
                    (bag, templates) -> bag.takeSome(templates, max, transaction));
            assertThat(taken).as("%s", this).hasSizeLessThanOrEqualTo(max);
        }

        /** One space chooses which tuples are in the match set, which has as many as allowed. */
        private void someContents(Step step, int transaction) throws Exception {
            int max = 1 + step.which() % 3;
            List<Thing> found = choose("up to " + max + " of the contents", step, transaction,
                    (bag, templates) -> bag.contents(templates, max, transaction));
            assertThat(found).as("%s", this).hasSizeLessThanOrEqualTo(max);
            if (found.size() < max) {
                alike("all contents", bags, bag -> sorted(bag.contents(step.templates(), MOST, transaction)))
                        .ifPresent(all -> assertThat(all).as("%s", this).isEqualTo(found));
            }
        }

        private interface Choice {
            List<Thing> of(Bag bag, List<Thing> templates) throws Exception;
        }

        /** Lets one space choose tuples that match the templates of a step, and has the others get the same ones. */
        private List<Thing> choose(String what, Step step, int transaction, Choice choice) throws Exception {
            List<Bag> others = new ArrayList<>(bags);
            List<Bag> first = List.of(others.remove(step.chooser() % bags.size()));
            Optional<List<Thing>> chosen = alike(what + " of " + step.templates() + " in " + transaction, first,
                    bag -> sorted(choice.of(bag, step.templates())));
            List<Thing> exact = chosen.filter(some -> !some.isEmpty()).orElse(step.templates());
            assertThat(alike("others " + exact, others, bag -> sorted(choice.of(bag, exact)))).as("%s", this)
                    .isEqualTo(chosen);
            return chosen.orElse(List.of());
        }

        private void find(Way way, Thing template, int transaction, int chooser) throws Exception {
            List<Bag> others = new ArrayList<>(bags);
            List<Bag> first = List.of(others.remove(chooser % bags.size()));
            Optional<Optional<Thing>> chosen = alike(way + " " + template + " in " + transaction, first,
                    bag -> bag.find(way, template, transaction));
            Thing exact = chosen.flatMap(found -> found).orElse(template);
            assertThat(alike("others " + exact, others, bag -> bag.find(way, exact, transaction))).as("%s", this)
                    .isEqualTo(chosen);
        }

        private void begin() {
            transactions++;
            bags.forEach(Bag::begin);
            said.add("begin\n");
        }

        /** In the newest transaction, once. */
        private void listen(List<Thing> templates) throws Exception {
            int transaction = transactions - 1;
            if (transaction != Bag.NONE && !listening.containsKey(transaction)
                    && alike("listen " + templates + " in " + transaction, bags, bag -> {
                        bag.listenIn(templates, transaction);
                        return "done";
                    }).isPresent()) {
                listening.put(transaction, new Listening(templates, things));
            }
        }

        /**
         * Compares the notifications of an open transaction with the present tuples that were added since its
         * registration.
         */
        private void compareHeardIn(int transaction) throws Exception {
            Listening since = listening.remove(transaction);
            Optional<List<Thing>> there = since == null
                    ? Optional.empty()
                    : alike("contents in " + transaction, bags,
                            bag -> sorted(bag.contents(since.templates(), MOST, transaction)));
            if (since != null && there.isPresent()) {
                List<Thing> told = there.get()
                        .stream()
                        .filter(thing -> Objects.requireNonNull(thing.number()) > since.things())
                        .toList();
                Awaitility.await()
                        .atMost(LONG)
                        .untilAsserted(() -> compareHeard("in " + transaction, told, bag -> bag.heardIn(transaction)));
            }
        }

        private void end(int transaction, boolean isCommit) throws Exception {
            if (transaction != Bag.NONE) {
                compareHeardIn(transaction);
                alike((isCommit ? "commit " : "abort ") + transaction, bags, bag -> {
                    try {
                        bag.end(transaction, isCommit);
                    } catch (EndedException e) {
                        // An abort of an ended transaction changes nothing, and causes no exception in our spaces.
                        if (isCommit) {
                            throw e;
                        }
                    }
                    return "done";
                });
                invisible.values().removeIf(writer -> writer == transaction);
            }
        }

        private interface LeaseDeed {
            void to(Bag bag, int lease) throws Exception;
        }

        private void lease(String what, Step step, LeaseDeed deed) throws Exception {
            if (!leased.isEmpty()) {
                // Each only once: the answer of Outrigger for an ended lease depends on whether it has noticed the end.
                int at = step.which() % leased.size();
                int lease = leased.get(at);
                leased.subList(at, at + 1).clear();
                if (step.operation() == Operation.EXPIRE && invisible.containsKey(lease + 1)) {
                    // When its transaction commits, Outrigger gives the tuple to a waiting caller without checking its
                    // lease.
                    return;
                }
                alike(what + " " + (lease + 1), bags, bag -> {
                    deed.to(bag, lease);
                    return "done";
                });
                expired.add(lease + 1);
            }
        }

        /** Waits for a thing by its number, which may not be written yet, so that only one tuple can match. */
        private void beginToWait(Step step, int transaction) throws Exception {
            int number = 1 + step.which() % (things + 2);
            if (!waiting.containsKey(number) && !(step.way().isIfExists() && invisible.containsKey(number))) {
                Thing template = new Thing(step.sort(), null, number);
                said.add("wait " + step.way() + " " + template + " in " + transaction + "\n");
                List<Waiting> all = new ArrayList<>();
                for (Bag bag : bags) {
                    all.add(step.operation() == Operation.WAIT
                            ? bag.await(step.way(), template, transaction)
                            : bag.awaitSome(List.of(template, new Thing(Sort.FRUIT, "b", number)), transaction));
                }
                waiting.put(number, all);
                sorts.put(number, step.sort() == Sort.PEAR ? Sort.PEAR : Sort.APPLE);
            }
        }

        /** Checks that each waiting caller is served in all spaces or in none. Our spaces show this at once. */
        private void settle() throws Exception {
            for (Integer number : List.copyOf(waiting.keySet())) {
                List<Waiting> all = Objects.requireNonNull(waiting.get(number));
                List<Waiting> own = all.subList(1, all.size());
                if (alike("served " + number, own, Waiting::isServed).orElseThrow()) {
                    alike("got", all, Waiting::got);
                    waiting.remove(number);
                } else {
                    assertThat(all.getFirst().isServed()).as("%s", this).isFalse();
                }
            }
        }

        void finish(List<Thing> templates) throws Exception {
            for (int transaction = 0; transaction < transactions; transaction++) {
                end(transaction, transaction % 2 == 0);
                settle();
            }
            // No caller may keep waiting: in Outrigger even an interrupted caller takes a later tuple, and takes
            // without a timeout then wait for ever for its end.
            for (Integer number : List.copyOf(waiting.keySet())) {
                alike("write " + number + " for whoever waits", bags, bag -> {
                    bag.write(List.of(new Thing(Objects.requireNonNull(sorts.get(number)), null, number)), Bag.NONE);
                    return "done";
                });
            }
            settle();
            assertThat(waiting).as("%s", this).isEmpty();
            things += 2;
            Thing heard = templates.getFirst();
            Thing last = new Thing(heard.sort() == Sort.FRUIT ? Sort.PEAR : heard.sort(), heard.name(), things + 1);
            write(List.of(last), Bag.NONE);
            List<Thing> there = alike("contents", bags, bag -> sorted(bag.contents(templates, MOST, Bag.NONE)))
                    .orElseThrow();
            Awaitility.await().atMost(LONG).untilAsserted(() -> {
                compareHeard("available", there, Bag::availableHeard);
                compareHeard("visible", there, Bag::visibleHeard);
                List<Integer> writes = bags.stream().map(Bag::writesHeard).toList();
                assertThat(writes.get(1)).as("writes, %s", this).isEqualTo(writes.get(2));
                // One event may cover several tuples, and a commit notifies of tuples that expired before it.
                assertThat(writes.getFirst()).as("writes, %s", this).isBetween(1, writes.get(1) + expired.size());
            });
        }

        /** Outrigger sends no notification of a tuple that is removed before its notification is processed. */
        private void compareHeard(String what, List<Thing> there, Function<Bag, List<Heard>> heard) {
            List<Heard> present = there.stream().map(thing -> new Heard(thing, true)).toList();
            List<List<Heard>> all = bags.stream().map(bag -> sorted(heard.apply(bag))).toList();
            assertThat(all.get(1)).as("%s, %s", what, this).isEqualTo(all.get(2)).containsAll(present);
            assertThat(all.getFirst()).as("%s, %s", what, this).containsAll(present);
            List<Heard> beyond = new ArrayList<>(all.getFirst());
            all.get(1).forEach(beyond::remove);
            // Outrigger notifies of these, too, when a transaction that had read them ends.
            assertThat(beyond).as("%s in Outrigger only, %s", what, this)
                    .allMatch(one -> expired.contains(one.thing().number()));
        }
    }

    private static <T extends Record> List<T> sorted(List<T> things) {
        return things.stream().sorted(Comparator.comparing(Record::toString)).toList();
    }

    private static void compareWithFile(List<Step> steps, Sort sort, boolean isNamed) throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            compare(steps, sort, isNamed, options -> TupleSpaces.open(directory.path().resolve("space"), options));
        }
    }

    private static void compareWithServer(List<Step> steps, Sort sort, boolean isNamed) throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceUri space = server.fresh();
        compare(steps, sort, isNamed, options -> TupleSpaces.open(space, options));
        server.drop(space);
    }

    private static void compareWithPartitions(List<Step> steps, Sort sort, boolean isNamed,
            Function<Path, List<SpaceUri>> stores) throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            SpaceUri space = Partitions.create(directory.path().resolve("list"), stores.apply(directory.path()),
                    PARTITIONS, 0);
            compare(steps, sort, isNamed, options -> TupleSpaces.open(space, options));
        }
    }

    private static List<SpaceUri> files(Path directory) {
        return IntStream.range(0, PARTITIONS).mapToObj(number -> SpaceUri.of(directory.resolve("p" + number))).toList();
    }

    private static void compare(List<Step> steps, Sort sort, boolean isNamed, Function<SpaceOptions, TupleSpace> opener)
            throws Exception {
        List<Thing> heard = List.of(new Thing(sort, isNamed ? "a" : null, null), new Thing(Sort.PEAR, "a", null));
        if (Objects.requireNonNull(outrigger).isDeadlocked()) {
            outrigger = Outrigger.start();
        }
        try (Bag oracle = new OutriggerBag(Objects.requireNonNull(outrigger));
                Bag durable = new OwnBag(opener);
                Bag memory = new OwnBag(TupleSpaces::memory)) {
            Run run = new Run(List.of(oracle, durable, memory));
            for (Bag bag : run.bags) {
                bag.listen(heard);
            }
            for (Step step : steps) {
                run.step(step);
            }
            run.finish(heard);
        }
    }

    @Property(tries = 30, shrinking = ShrinkingMode.BOUNDED)
    void spacesAnswerAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort, @ForAll boolean isNamed)
            throws Exception {
        compareWithFile(steps, sort, isNamed);
    }

    @Property(tries = 3000, shrinking = ShrinkingMode.BOUNDED)
    @Tag("campaign")
    void spacesAnswerThousandsOfProgramsAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort,
            @ForAll boolean isNamed) throws Exception {
        compareWithFile(steps, sort, isNamed);
    }

    @Property(tries = 5, shrinking = ShrinkingMode.BOUNDED)
    void spacesOnAServerAnswerAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort,
            @ForAll boolean isNamed) throws Exception {
        compareWithServer(steps, sort, isNamed);
    }

    @Property(tries = 1000, shrinking = ShrinkingMode.BOUNDED)
    @Tag("campaign")
    void spacesOnAServerAnswerAThousandProgramsAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort,
            @ForAll boolean isNamed) throws Exception {
        compareWithServer(steps, sort, isNamed);
    }

    @Property(tries = 5, shrinking = ShrinkingMode.BOUNDED)
    void spacesOverPartitionsAnswerAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort,
            @ForAll boolean isNamed) throws Exception {
        compareWithPartitions(steps, sort, isNamed, OutriggerTest::files);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    @Tag("campaign")
    void spacesOverPartitionsAnswerHundredsOfProgramsAsOutriggerDoes(@ForAll("programs") List<Step> steps,
            @ForAll Sort sort, @ForAll boolean isNamed) throws Exception {
        compareWithPartitions(steps, sort, isNamed, OutriggerTest::files);
    }

    @Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
    @Tag("campaign")
    void spacesOverPartitionsOnAServerAnswerAsOutriggerDoes(@ForAll("programs") List<Step> steps, @ForAll Sort sort,
            @ForAll boolean isNamed) throws Exception {
        PostgresServer server = PostgresServer.shared();
        List<SpaceUri> stores = IntStream.range(0, PARTITIONS).mapToObj(number -> server.fresh()).toList();
        compareWithPartitions(steps, sort, isNamed, directory -> stores);
        for (SpaceUri store : stores) {
            server.drop(store);
        }
    }

    @Provide
    Arbitrary<List<Step>> programs() {
        Arbitrary<Operation> operations = Arbitraries.frequency(Tuple.of(6, Operation.WRITE),
                Tuple.of(2, Operation.WRITE_TWO), Tuple.of(5, Operation.FIND), Tuple.of(5, Operation.FIND_IN_LAST),
                Tuple.of(1, Operation.WRITE_BRIEFLY), Tuple.of(1, Operation.TAKE_ALL), Tuple.of(2, Operation.TAKE_SOME),
                Tuple.of(2, Operation.WAIT), Tuple.of(2, Operation.WAIT_FOR_SOME), Tuple.of(1, Operation.CONTENTS),
                Tuple.of(2, Operation.SOME_CONTENTS), Tuple.of(3, Operation.BEGIN), Tuple.of(2, Operation.LISTEN),
                Tuple.of(2, Operation.COMMIT), Tuple.of(2, Operation.ABORT), Tuple.of(1, Operation.EXPIRE),
                Tuple.of(1, Operation.CANCEL));
        return Combinators
                .combine(operations, Arbitraries.integers().between(0, 1000), Arbitraries.of(Way.class),
                        Arbitraries.of(Sort.class), Arbitraries.of("a", "b").injectNull(0.3),
                        Arbitraries.of(Sort.class), Arbitraries.integers().between(0, 2))
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }
}
