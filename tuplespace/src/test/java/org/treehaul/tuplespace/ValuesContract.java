// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Colour;
import org.treehaul.tuplespace.Shapes.Everything;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.Point;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/** The contract of every space, with any store: values, templates, orders, aggregates. */
abstract class ValuesContract extends SpaceFixture {
    private static final Template<Everything> EVERYTHING = Template.of(Everything.class);

    record Unfit(Object any) {}

    record Real(double value) {}

    private List<Integer> radii(Template<Circle> template) {
        try (Stream<Circle> circles = space.contents(template)) {
            List<Integer> radii = new ArrayList<>();
            circles.forEach(circle -> radii.add(circle.radius() == null ? -1 : circle.radius()));
            radii.sort(null);
            return radii;
        }
    }

    @Test
    void everyClassOfComponentIsReadBackUnchanged() throws Exception {
        for (Everything tuple : List.of(Everything.full(), Everything.absent())) {
            space.write(tuple);
            Everything read = space.take(EVERYTHING, NOW).orElseThrow();
            assertThat(read).usingRecursiveComparison().isEqualTo(tuple);
        }
    }

    @Test
    void everyClassOfComponentIsMatched() {
        space.write(Everything.full());
        space.write(Everything.absent());
        Everything full = Everything.full();
        assertThat(space.count(Template.like(full))).isEqualTo(1);
        for (Template<Everything> one : List.of(EVERYTHING.equal("bool", true), EVERYTHING.equal("int8", -128),
                EVERYTHING.equal("character", '\uFFFF'), EVERYTHING.equal("int64", Long.MAX_VALUE),
                EVERYTHING.equal("real32", 1.5), EVERYTHING.equal("real64", -1e300),
                EVERYTHING.equal("boxedReal", Double.POSITIVE_INFINITY), EVERYTHING.equal("text", full.text() + ""),
                EVERYTHING.equal("bytes", new byte[]{0, -1, 1}), EVERYTHING.equal("value", Bytes.of((byte) -1)),
                EVERYTHING.equal("colour", Colour.GREEN), EVERYTHING.equal("colour", "GREEN"),
                EVERYTHING.equal("time", Instant.ofEpochSecond(-1, 999_999_999)),
                EVERYTHING.equal(Everything::point, new Point(-3, null)), EVERYTHING.equal("uuid", new UUID(-1, 1)),
                EVERYTHING.range("time", Instant.EPOCH.minusSeconds(1), Instant.EPOCH),
                EVERYTHING.prefix("text", "a\0"), EVERYTHING.suffix("text", "\ud83d\ude00"),
                EVERYTHING.suffix("bytes", new byte[]{-1, 1}), EVERYTHING.suffix("text", ""),
                EVERYTHING.contains("text", "\0"), EVERYTHING.contains("text", "\ud83d\ude00"),
                EVERYTHING.contains("text", ""), EVERYTHING.contains("bytes", new byte[]{1}),
                EVERYTHING.contains("bytes", new byte[0]), EVERYTHING.not(new Condition.Contains("text", "a")),
                EVERYTHING.prefix("value", Bytes.of((byte) -1)), EVERYTHING.notNull("point"))) {
            assertThat(space.count(one)).as(one.toString()).isEqualTo(1);
        }
    }

    @Test
    void conditionsAreMetAsTheySay() {
        for (int i = 0; i < 10; i++) {
            space.write(new Circle("n" + i % 3, i));
        }
        space.write(new Circle(null, null));
        assertThat(radii(CIRCLES.equal("name", "n1"))).containsExactly(1, 4, 7);
        assertThat(radii(CIRCLES.equal("name", "n1").atLeast("radius", 4))).containsExactly(4, 7);
        assertThat(radii(CIRCLES.in("radius", List.of(1, 2L, 77)))).containsExactly(1, 2);
        assertThat(radii(CIRCLES.in("radius", List.of()))).isEmpty();
        assertThat(radii(CIRCLES.range("radius", 3, 5))).containsExactly(3, 4, 5);
        assertThat(radii(CIRCLES.range(Circle::radius, null, 1))).containsExactly(0, 1);
        assertThat(radii(CIRCLES.range("radius", null, null))).hasSize(10);
        assertThat(radii(CIRCLES.isNull("radius"))).containsExactly(-1);
        assertThat(radii(CIRCLES.notNull("name"))).hasSize(10);
        assertThat(radii(CIRCLES.not(new Condition.Range("radius", 1, 9)))).containsExactly(-1, 0);
        assertThat(radii(CIRCLES.not(new Condition.In("name", java.util.Set.of("n0", "n1"))))).containsExactly(-1, 2, 5,
                8);
        assertThat(radii(CIRCLES.anyOf("radius", List.of(new Condition.Equal("radius", 1),
                new Condition.Range("radius", 8, null), new Condition.Absent("radius"))))).containsExactly(-1, 1, 8, 9);
        assertThat(radii(CIRCLES.anyOf("radius", List.of()))).isEmpty();
        assertThat(radii(CIRCLES.test("radius", "is even", value -> (Long) value % 2 == 0))).containsExactly(0, 2, 4, 6,
                8);
        assertThat(radii(CIRCLES.prefix("name", "n").suffix("name", "2"))).containsExactly(2, 5, 8);
        assertThat(radii(CIRCLES.prefix("name", ""))).hasSize(10);
        assertThat(radii(CIRCLES.contains("name", "2"))).containsExactly(2, 5, 8);
        assertThat(radii(CIRCLES.not(new Condition.Contains("name", "n")))).containsExactly(-1);
    }

    @Test
    void predicatesAreNotAskedAboutAbsentValuesButAboutEmptyOnes() {
        space.write(bytes());
        space.write(bytes(1));
        space.write(Everything.absent());
        Condition.Test isEmpty = new Condition.Test("value", "is empty", value -> ((Bytes) value).length() == 0);
        assertThat(space.count(EVERYTHING.test("value", "is empty", isEmpty.test()))).isEqualTo(1);
        assertThat(space.count(EVERYTHING.not(isEmpty))).isEqualTo(2);
        assertThat(space.count(EVERYTHING.notNull("value").not(isEmpty))).isEqualTo(1);
    }

    @Test
    void textIsOrderedByCodePointAndBytesAsUnsigned() {
        List<String> texts = List.of("", "a", "a\0", "ab", "\ud7ff", "\uffff", "\ud83d\ude00", "\udbff\udfff");
        texts.forEach(text -> space.write(new Circle(text, 1)));
        try (Stream<Circle> circles = space.contents(CIRCLES, Order.by("name"), 100)) {
            assertThat(circles.map(Circle::name)).containsExactlyElementsOf(texts);
        }
        assertThat(space.count(CIRCLES.range("name", "\uffff", null))).isEqualTo(3);
        assertThat(space.count(CIRCLES.prefix("name", "\ud7ff"))).isEqualTo(1);
        assertThat(space.count(CIRCLES.prefix("name", "\udbff\udfff"))).isEqualTo(1);
        space.write(bytes(0x7f));
        space.write(bytes(0xff, 0xff));
        space.write(bytes(0xff, 0xff, 1));
        assertThat(space.count(EVERYTHING.range("value", Bytes.of((byte) 0x80), null))).isEqualTo(2);
        assertThat(space.count(EVERYTHING.prefix("value", Bytes.of((byte) -1, (byte) -1)))).isEqualTo(2);
    }

    private static Everything bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return new Everything(false, (byte) 0, (short) 0, 'a', 0, 0, 0, 0, null, null, null, null, null,
                Bytes.of(bytes), null, null, null, null);
    }

    @Test
    void zeroHasNoSignAndNoNumberIsRefused() {
        space.write(new Real(-0.0));
        Template<Real> reals = Template.of(Real.class);
        assertThat(space.count(reals.equal("value", 0))).isEqualTo(1);
        assertThat(space.count(reals.range("value", 0.0, 0.0))).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> space.write(new Real(Double.NaN)));
        assertThatIllegalArgumentException().isThrownBy(() -> reals.equal("value", Double.NaN));
    }

    @Test
    void aTupleIsCopiedWhenItIsWrittenAndWhenItIsRead() throws Exception {
        byte[] mine = {0, -1, 1};
        Everything full = Everything.full();
        space.write(new Everything(true, (byte) 0, (short) 0, 'a', 0, 0, 0, 0, null, null, null, null, mine, null, null,
                null, null, full.point()));
        mine[0] = 9;
        byte[] read = space.read(EVERYTHING, NOW).orElseThrow().bytes();
        assertThat(read).containsExactly(0, -1, 1);
        Arrays.fill(read, (byte) 7);
        assertThat(space.take(EVERYTHING, NOW).orElseThrow().bytes()).containsExactly(0, -1, 1);
    }

    @Test
    void unsupportedTypesAndConditionsAreRefusedByName() {
        assertThatIllegalArgumentException().isThrownBy(() -> space.write(new Unfit("x")))
                .withMessageContaining("java.lang.Object");
        assertThatIllegalArgumentException().isThrownBy(() -> CIRCLES.equal("size", 1))
                .withMessageContaining("\"size\"")
                .withMessageContaining("name: String, radius: Integer");
        assertThatIllegalArgumentException().isThrownBy(() -> CIRCLES.equal("radius", "1"))
                .withMessageContaining("component radius is of java.lang.Integer");
        assertThatIllegalArgumentException().isThrownBy(() -> EVERYTHING.range("colour", Colour.RED, null));
        assertThatIllegalArgumentException().isThrownBy(() -> EVERYTHING.equal("colour", "PINK"));
        assertThatIllegalArgumentException().isThrownBy(() -> CIRCLES.prefix("radius", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Template.of(Shape.class).equal("radius", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Template.of(String.class));
        assertThatIllegalArgumentException().isThrownBy(() -> space.sum(CIRCLES, "name"));
        assertThatIllegalArgumentException().isThrownBy(() -> space.max(CIRCLES, "length"));
        assertThatIllegalArgumentException().isThrownBy(() -> space.contents(CIRCLES, Order.by("length"), 1));
        assertThatIllegalArgumentException().isThrownBy(() -> CIRCLES.equal(circle -> circle.name() + "", "a"));
    }

    @Test
    void contentsAreThoseOfTheirBeginning() {
        for (int i = 0; i < 5; i++) {
            space.write(new Job(i, "new", null));
        }
        try (Stream<Job> jobs = space.contents(JOBS)) {
            space.remove(JOBS.atLeast("number", 3));
            space.write(new Job(9, "new", null));
            assertThat(jobs.map(Job::number)).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        }
        assertThat(space.count(JOBS)).isEqualTo(4);
    }

    @Test
    void contentsComeInAnOrderAndNoMoreThanAskedFor() {
        space.write(new Circle("b", 2));
        space.write(new Circle("a", 2));
        space.write(new Circle("c", null));
        space.write(new Square("d", 7));
        space.write(new Circle("e", 1));
        if (isOneStore()) {
            assertThat(names(CIRCLES, Order.by("radius"), 10)).containsExactly("c", "e", "b", "a");
            assertThat(names(CIRCLES, Order.by("radius").descending(), 3)).containsExactly("b", "a", "e");
            assertThat(names(CIRCLES, Order.ofWriting().descending(), 2)).containsExactly("e", "c");
        }
        assertThat(names(CIRCLES.notNull("radius"), Order.by("name").descending(), 2)).containsExactly("e", "b");
        assertThat(names(Template.of(Shape.class), Order.by("name"), 4)).containsExactly("a", "b", "c", "d");
    }

    private <T extends Shape> List<String> names(Template<T> template, Order order, long limit) {
        try (Stream<T> shapes = space.contents(template, order, limit)) {
            List<String> names = new ArrayList<>();
            shapes.forEach(shape -> names.add(String.valueOf(shape.name())));
            return names;
        }
    }

    @Test
    void aggregatesLeaveAbsentValuesOutAndGroupThem() {
        assertThat(space.count(CIRCLES)).isZero();
        assertThat(space.sum(CIRCLES, "radius")).isEqualTo(0L);
        assertThat(space.min(CIRCLES, "radius")).isEmpty();
        space.write(new Circle("a", 1));
        space.write(new Circle("a", 5));
        space.write(new Circle("b", null));
        space.write(new Circle(null, 3));
        assertThat(space.sum(CIRCLES, "radius")).isEqualTo(9L);
        assertThat(space.min(CIRCLES, "radius")).contains(1);
        assertThat(space.max(CIRCLES, "name")).contains("b");
        assertThat(space.groupBy(CIRCLES, List.of("name"), Aggregate.count(), Aggregate.sum("radius"),
                Aggregate.max("radius"))).containsExactly(new Group(Arrays.asList((Object) null), List.of(1L, 3L, 3)),
                        new Group(List.of("a"), List.of(2L, 6L, 5)),
                        new Group(List.of("b"), Arrays.asList(1L, 0L, null)));
        space.write(new Square("a", 4));
        assertThat(space.groupBy(Template.of(Shape.class), List.of("name"), Aggregate.count()).get(1))
                .isEqualTo(new Group(List.of("a"), List.of(3L)));
        space.write(new Square("x", Long.MAX_VALUE));
        assertThatExceptionOfType(ArithmeticException.class)
                .isThrownBy(() -> space.sum(Template.of(Square.class), "side"));
    }

    @Test
    void aggregatesOverAnInterfaceLeaveOutTuplesOfClassesWithoutTheComponent() {
        Template<Shape> shapes = Template.of(Shape.class);
        assertThat(space.sum(shapes, "side")).isEqualTo(0L);
        for (List<Record> order : List.<List<Record>>of(List.of(new Circle("c", 1), new Square("s", 2)),
                List.of(new Square("s", 2), new Circle("c", 1)))) {
            order.forEach(space::write);
            assertThat(space.sum(shapes, "radius")).isEqualTo(1L);
            assertThat(space.max(shapes, "side")).contains(2L);
            assertThat(space.groupBy(shapes, List.of("name", "side"), Aggregate.count()))
                    .containsExactly(new Group(List.of("s", 2L), List.of(1L)));
            assertThat(space.groupBy(Template.of(Record.class), List.of("none"), Aggregate.count())).isEmpty();
            for (String wrong : List.of("none", "name")) {
                assertThatIllegalArgumentException().isThrownBy(() -> space.sum(shapes, wrong))
                        .withMessageContaining(wrong);
            }
            assertThatIllegalArgumentException().isThrownBy(() -> space.groupBy(shapes, List.of("side", "radius")))
                    .withMessageContaining("Shape");
            space.remove(shapes);
        }
    }

    @Test
    void aSumOverClassesOfWhichOneHasNoNumbersIsRefused() {
        Template<Record> all = Template.of(Record.class);
        for (List<Record> order : List.<List<Record>>of(List.of(new Real(1), bytes(1)),
                List.of(bytes(1), new Real(1)))) {
            order.forEach(space::write);
            assertThatIllegalArgumentException().isThrownBy(() -> space.sum(all, "value"))
                    .withMessageContaining("value of " + Bytes.class.getName());
            space.remove(all);
        }
    }

    @Test
    void aFunctionMakesTheKeysOfGroupsOrLeavesTuplesOut() {
        Map<List<Object>, List<Long>> expected = new TreeMap<>(Comparator.comparing(List::toString));
        for (int i = 0; i < 300; i++) {
            space.write(new Circle(i % 5 == 0 ? null : "c" + i % 7, i));
            if (i % 5 != 0) {
                expected.merge(List.of("c" + i % 7, i % 2L), List.of(1L, (long) i), ValuesContract::sum);
            }
        }
        Aggregator.Key key = values -> values[0] == null || values[1] == null
                ? null
                : new Object[]{values[0], (Long) values[1] % 2};
        for (long bytes : new long[]{1, 1000, Long.MAX_VALUE}) {
            assertThat(derived(space, bytes, key)).isEqualTo(expected);
            assertThat(space.<Map<List<Object>, List<Long>>>atomically(inside -> derived(inside, bytes, key)))
                    .isEqualTo(expected);
        }
        assertThat(derived(space, 1, values -> null)).isEmpty();
        assertThat(derived(space, 1000, values -> new Object[0]))
                .isEqualTo(Map.of(List.of(), List.of(300L, 299 * 150L)));
        assertThatIllegalStateException().isThrownBy(() -> derived(space, 1000, values -> {
            throw new IllegalStateException("of the function");
        })).withMessage("of the function");
        assertThat(space.count(CIRCLES)).isEqualTo(300);
    }

    private static Map<List<Object>, List<Long>> derived(TupleOperations tuples, long bytes, Aggregator.Key key) {
        Map<List<Object>, List<Long>> added = new TreeMap<>(Comparator.comparing(List::toString));
        tuples.groupByInParts(
                CIRCLES, List.of("name", "radius"), key, bytes, part -> added.merge(part.key(),
                        part.values().stream().map(Long.class::cast).toList(), ValuesContract::sum),
                Aggregate.count(), Aggregate.sum("radius"));
        return added;
    }

    private static List<Long> sum(List<Long> one, List<Long> other) {
        return List.of(one.get(0) + other.get(0), one.get(1) + other.get(1));
    }

    @Test
    void partsOfGroupsAddUpToTheWholeGroups() {
        for (int i = 0; i < 300; i++) {
            space.write(new Circle("c" + i % 7, i));
        }
        List<Group> whole = space.groupBy(CIRCLES, List.of("name"), Aggregate.count(), Aggregate.sum("radius"));
        for (long bytes : new long[]{1, 1000, Long.MAX_VALUE}) {
            Map<List<Object>, List<Long>> added = new TreeMap<>(Comparator.comparing(List::toString));
            space.groupByInParts(
                    CIRCLES, List.of("name"), bytes, part -> added.merge(part.key(),
                            part.values().stream().map(Long.class::cast).toList(), ValuesContract::sum),
                    Aggregate.count(), Aggregate.sum("radius"));
            assertThat(added.keySet()).containsExactlyElementsOf(whole.stream().map(Group::key).toList());
            assertThat(added.values()).containsExactlyElementsOf(
                    whole.stream().map(group -> group.values().stream().map(Long.class::cast).toList()).toList());
        }
    }

    @Test
    void aTransactionCountsTheTuplesVisibleToIt() throws Exception {
        space.write(new Circle("a", 1));
        space.write(new Circle("b", 2));
        try (Transaction transaction = space.begin(LONG)) {
            transaction.take(CIRCLES.equal("name", "a"), NOW);
            transaction.write(new Circle("c", 4));
            assertThat(transaction.sum(CIRCLES, "radius")).isEqualTo(6L);
            assertThat(transaction.contents(CIRCLES).map(Circle::name)).containsExactlyInAnyOrder("b", "c");
            assertThat(space.sum(CIRCLES, "radius")).isEqualTo(2L);
        }
        assertThat(space.sum(CIRCLES, "radius")).isEqualTo(3L);
    }

    @Test
    void tensOfThousandsOfTemplatesWithTwoConditionsAreOneOperation() {
        space.writeAll(List.of(new Job(40_000, "new", null), new Job(79_998, "new", "me"), new Job(3, "new", null),
                new Job(4, "old", null), new Job(5, null, null)), Lease.FOREVER);
        List<Template<Job>> many = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            many.add(i % 2 == 0
                    ? numbered(2 * i).equal("state", "new")
                    : JOBS.equal("state", "new").equal("number", 2 * i));
        }
        Template<Job> any = Template.ofAny(Job.class, many);
        assertThat(space.count(any)).isEqualTo(2);
        many.add(JOBS.isNull("state"));
        many.add(JOBS.equal("state", "old").not(new Condition.Equal("number", 3L)));
        assertThat(space.takeAll(Template.ofAny(Job.class, many), 10)).extracting(Job::number)
                .containsExactlyInAnyOrder(40_000, 79_998, 4, 5);
        assertThat(space.takeAll(JOBS, 10)).containsExactly(new Job(3, "new", null));
    }

    record Named(Bytes bytes, String text) {}

    /** Returns texts of any length that begin in the same way and cannot be compressed much. */
    private static List<String> longTexts() {
        Random random = new Random(3);
        String same = random.ints(4000, 0x21, 0x7f)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        List<String> texts = new ArrayList<>(List.of("", "a", "\u20ac".repeat(149), "\u20ac".repeat(1300)));
        for (int length : new int[]{10, 148, 149, 150, 151, 599, 600, 601, 2700, 3999}) {
            String head = same.substring(0, length);
            texts.addAll(List.of(head, head + "!", head + "\0", head + "~"));
        }
        return texts;
    }

    @Test
    void indexedValuesMayHaveAnyLength() {
        List<Template<Named>> templates = new ArrayList<>();
        Template<Named> all = Template.of(Named.class);
        List<Named> tuples = longTexts().stream()
                .map(text -> new Named(Bytes.of(text.getBytes(StandardCharsets.UTF_8)), text))
                .toList();
        for (Named tuple : tuples) {
            for (String name : List.of("bytes", "text")) {
                Object value = name.equals("text") ? tuple.text() : tuple.bytes();
                templates.addAll(List.of(all.equal(name, value), all.atLeast(name, value), all.atMost(name, value),
                        all.prefix(name, value), all.in(name, List.of(value)),
                        all.not(new Condition.Equal(name, value)), all.not(new Condition.Prefix(name, value))));
            }
        }
        templates.add(all.in("text", tuples.stream().map(Named::text).limit(30).toList()));
        templates.add(Template.ofAny(Named.class,
                tuples.stream()
                        .map(tuple -> all.equal("text", tuple.text()).equal("bytes", tuple.bytes()))
                        .limit(30)
                        .toList()));
        try (TupleSpace own = open(SpaceOptions.defaults().index(Named.class, "bytes", "text"))) {
            own.writeAll(tuples, Lease.FOREVER);
            for (Template<Named> template : templates) {
                try (Stream<Named> found = own.contents(template)) {
                    assertThat(found.toList()).as(template.toString())
                            .containsExactlyInAnyOrderElementsOf(tuples.stream().filter(template::matches).toList());
                }
            }
            assertThat(own.takeAll(all.equal("text", tuples.getLast().text()), 2)).containsExactly(tuples.getLast());
        }
    }

    @Test
    void contentsAndGroupsOfAnyNumberAreWhole() {
        int all = 10_001;
        space.writeAll(IntStream.range(0, all).mapToObj(i -> new Job(i, "s" + i % 3, null)).toList(), Lease.FOREVER);
        for (int some : new int[]{0, 1, 4_999, 5_000, 5_001, 9_999, 10_000, all}) {
            Template<Job> first = JOBS.atMost("number", some - 1);
            for (Order order : List.of(Order.by("number"), Order.by("number").descending())) {
                try (Stream<Job> jobs = space.contents(JOBS, order, some)) {
                    int from = order.isDescending() ? all - some : 0;
                    assertThat(jobs.map(Job::number).sorted().toList())
                            .isEqualTo(IntStream.range(from, from + some).boxed().toList());
                }
            }
            try (Stream<Job> jobs = space.contents(first)) {
                assertThat(jobs.map(Job::number).sorted().toList())
                        .isEqualTo(IntStream.range(0, some).boxed().toList());
            }
            assertThat(space.groupBy(first, List.of("number"), Aggregate.count())).hasSize(some)
                    .allSatisfy(group -> assertThat(group.values()).containsExactly(1L));
            assertThat(space.count(first)).isEqualTo(some);
        }
        assertThat(space.groupBy(JOBS, List.of("state"), Aggregate.count())).hasSize(3);
    }
}
