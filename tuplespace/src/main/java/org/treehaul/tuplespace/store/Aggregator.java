// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** Merges aggregates over tuples of one or more types into groups. Values stay canonical until {@link #groups}. */
public final class Aggregator {

    /** Makes the key of a group from the values of components, so that groups need not have the values themselves. */
    @Internal
    @FunctionalInterface
    public interface Key {

        /**
         * Returns canonical values, of which equal ones make a group; null if the tuple belongs to no group. Several
         * threads may call it at the same time, and it must not use the space.
         *
         * @param values the canonical values of the components of a tuple
         */
        @Nullable Object @Nullable [] of(@Nullable Object[] values);
    }

    /** Approximate bytes that a group takes besides the texts of its key. */
    private static final int GROUP = 250;

    private final List<String> by;
    private final List<Aggregate> aggregates;
    /** Makes the keys of groups; null if the values of the components themselves are the keys. */
    private final @Nullable Key derived;
    private final Map<List<@Nullable Object>, @Nullable Object[]> groups = new LinkedHashMap<>();
    /** Components by name, as declared by the first type seen; they convert canonical values to the user's values. */
    private final Map<String, Component> components = new HashMap<>();

    private final long most;
    private final Consumer<? super Group> full;
    private long bytes;
    /** The group of the tuple added last, if there is one. */
    private boolean hasLast;
    private @Nullable Object[] lastKey = {};
    private @Nullable Object[] lastValues = {};
    /** Locked while this aggregator or a part of it passes groups on. */
    private final Object passing;

    /**
     * Creates an aggregator that keeps all groups.
     *
     * @param by components whose equal values make a group; none for one group
     * @throws IllegalArgumentException when no record class of the template has the components, or a component does not
     *         support its aggregate
     */
    public Aggregator(Template<?> template, List<String> by, List<Aggregate> aggregates) {
        this(template, by, aggregates, Long.MAX_VALUE, group -> {
        });
    }

    /**
     * Creates an aggregator that keeps a limited number of groups.
     *
     * @param most approximate bytes of memory
     * @param full receives all groups made so far when they exceed the limit; they are then forgotten
     */
    public Aggregator(Template<?> template, List<String> by, List<Aggregate> aggregates, long most,
            Consumer<? super Group> full) {
        this(template, by, null, aggregates, most, full);
    }

    /**
     * Creates an aggregator that keeps a limited number of groups, whose keys a function makes. The groups have the
     * canonical values that it returns, and are in no order.
     *
     * @param by components whose values the function receives
     * @param derived the function; null if these values are the keys
     */
    @Internal
    public Aggregator(Template<?> template, List<String> by, @Nullable Key derived, List<Aggregate> aggregates,
            long most, Consumer<? super Group> full) {
        this.most = most;
        this.derived = derived;
        this.full = full;
        passing = new Object();
        this.by = List.copyOf(by);
        this.aggregates = List.copyOf(aggregates);
        Class<?> type = template.type();
        if (type.isRecord()) {
            TupleType<?> only = TupleType.of(type.asSubclass(Record.class));
            names().forEach(only::indexOf);
            fits(only);
        } else if (!mayHave(type, names())) {
            throw new IllegalArgumentException(
                    "no record class of " + type.getSimpleName() + " has the components " + names());
        }
    }

    /** Returns whether a record class of a type may have components: only a sealed type has no unknown ones. */
    private static boolean mayHave(Class<?> type, List<String> names) {
        if (type.isRecord()) {
            return Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getName)
                    .collect(Collectors.toSet())
                    .containsAll(names);
        }
        return !type.isSealed()
                || Arrays.stream(type.getPermittedSubclasses()).anyMatch(permitted -> mayHave(permitted, names));
    }

    /**
     * Returns whether a type has all the components.
     *
     * @throws IllegalArgumentException when a component exists but does not support the aggregate
     */
    public boolean fits(TupleType<?> type) {
        List<String> names = names();
        for (String name : names) {
            if (!type.has(name)) {
                return false;
            }
        }
        for (String name : names) {
            components.putIfAbsent(name, type.component(name));
        }
        for (Aggregate aggregate : aggregates) {
            if (!aggregate.component().isEmpty()) {
                check(aggregate, type.component(aggregate.component()));
            }
        }
        return true;
    }

    /** Returns the components whose values make the groups. */
    @Internal
    public List<String> by() {
        return by;
    }

    /** Returns the aggregates of each group. */
    @Internal
    public List<Aggregate> aggregates() {
        return aggregates;
    }

    /** Returns approximately how many bytes of groups it keeps. */
    @Internal
    public long most() {
        return most;
    }

    /** Returns whether a function makes the keys of the groups, so that it has to see the values of each tuple. */
    @Internal
    public boolean isDerived() {
        return derived != null;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>(by);
        for (Aggregate aggregate : aggregates) {
            if (!aggregate.component().isEmpty()) {
                names.add(aggregate.component());
            }
        }
        return names;
    }

    private static void check(Aggregate aggregate, Component component) {
        boolean isFit = switch (aggregate.function()) {
            case COUNT -> true;
            case SUM -> component.kind() == Kind.INTEGER || component.kind() == Kind.REAL;
            case MIN, MAX -> component.isOrdered();
        };
        if (!isFit) {
            throw new IllegalArgumentException("there is no " + aggregate.function() + " of component "
                    + component.name() + " of " + component.type().getTypeName());
        }
    }

    /** Adds a tuple, whose type must fit. */
    public void add(TupleType<?> type, Record tuple) {
        @Nullable Object[] key = new @Nullable Object[by.size()];
        for (int i = 0; i < key.length; i++) {
            key[i] = type.component(by.get(i)).canonical(tuple);
        }
        @Nullable Object[] values = new @Nullable Object[aggregates.size()];
        for (int i = 0; i < values.length; i++) {
            Aggregate aggregate = aggregates.get(i);
            values[i] = aggregate.function() == Aggregate.Function.COUNT
                    ? Long.valueOf(1)
                    : type.component(aggregate.component()).canonical(tuple);
        }
        add(key, values);
    }

    /** Adds a group of the same components and aggregates over other tuples of the template's record class. */
    public void add(Group group) {
        @Nullable Object[] key = new @Nullable Object[by.size()];
        for (int i = 0; i < key.length; i++) {
            key[i] = canonical(by.get(i), group.key().get(i));
        }
        @Nullable Object[] values = new @Nullable Object[aggregates.size()];
        for (int i = 0; i < values.length; i++) {
            Object value = group.values().get(i);
            values[i] = switch (aggregates.get(i).function()) {
                case COUNT, SUM -> value;
                case MIN, MAX -> canonical(aggregates.get(i).component(), value);
            };
        }
        add(key, values);
    }

    /**
     * Returns an aggregator for a part of the tuples, which another thread may use; {@link #add(Aggregator)} adds it.
     * All parts together keep half as much in memory as this one.
     *
     * @param count the number of parts
     */
    @Internal
    public Aggregator part(int count) {
        return new Aggregator(this, most / (2L * count));
    }

    private Aggregator(Aggregator whole, long most) {
        this.by = whole.by;
        this.aggregates = whole.aggregates;
        derived = whole.derived;
        this.most = most;
        components.putAll(whole.components);
        full = whole.full;
        passing = whole.passing;
    }

    /** Adds everything that a part has. */
    @Internal
    public void add(Aggregator part) {
        part.groups.forEach((key, values) -> put(key.toArray(), values));
    }

    private @Nullable Object canonical(String name, @Nullable Object own) {
        Component component = components.get(name);
        return own == null || component == null ? own : component.toCanonical(own);
    }

    /**
     * Adds aggregates that were computed over some tuples.
     *
     * @param key the equal values of the components of these tuples
     */
    public void add(@Nullable Object[] key, @Nullable Object[] values) {
        @Nullable Object[] own = derived == null ? key : derived.of(key);
        if (own != null) {
            put(own, values);
        }
    }

    @SuppressWarnings("ReferenceEquality") // those of a new group are kept themselves
    private void put(@Nullable Object[] key, @Nullable Object[] values) {
        // Often one tuple after another is of the same group, as those of one owner.
        if (hasLast && Arrays.equals(key, lastKey)) {
            merge(lastValues, values);
            return;
        }
        lastKey = key;
        lastValues = groups.computeIfAbsent(Arrays.asList(key), group -> values);
        hasLast = true;
        if (lastValues != values) {
            merge(lastValues, values);
            return;
        }
        bytes += weight(key);
        if (bytes > most) {
            passOn();
        }
    }

    private void merge(@Nullable Object[] known, @Nullable Object[] more) {
        for (int i = 0; i < known.length; i++) {
            known[i] = merged(aggregates.get(i).function(), known[i], more[i]);
        }
    }

    /** Passes all groups on; parts of the same whole do so one after another. */
    private void passOn() {
        synchronized (passing) {
            groups.forEach((of, all) -> full.accept(group(of, all)));
        }
        groups.clear();
        hasLast = false;
        bytes = 0;
    }

    private static long weight(@Nullable Object[] key) {
        long weight = GROUP;
        for (Object value : key) {
            weight += switch (value) {
                case Bytes some -> some.length();
                case String text -> 2L * text.length();
                case null, default -> 0;
            };
        }
        return weight;
    }

    private static @Nullable Object merged(Aggregate.Function function, @Nullable Object one, @Nullable Object other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        BinaryOperator<Object> merger = switch (function) {
            case COUNT, SUM -> Aggregator::sum;
            case MIN -> (a, b) -> Kind.compare(a, b) <= 0 ? a : b;
            case MAX -> (a, b) -> Kind.compare(a, b) >= 0 ? a : b;
        };
        return merger.apply(one, other);
    }

    private static Object sum(Object one, Object other) {
        if (one instanceof Long a && other instanceof Long b) {
            return Math.addExact(a, b);
        }
        return ((Number) one).doubleValue() + ((Number) other).doubleValue();
    }

    /** Returns the groups, ordered by their keys unless a function makes these. */
    public List<Group> groups() {
        if (derived != null) {
            return groups.entrySet().stream().map(group -> group(group.getKey(), group.getValue())).toList();
        }
        if (by.isEmpty() && groups.isEmpty()) {
            @Nullable Object[] none = new @Nullable Object[aggregates.size()];
            for (int i = 0; i < none.length; i++) {
                none[i] = aggregates.get(i).function() == Aggregate.Function.COUNT ? Long.valueOf(0) : null;
            }
            groups.put(List.of(), none);
        }
        if (groups.size() == 1) {
            Map.Entry<List<@Nullable Object>, @Nullable Object[]> only = groups.entrySet().iterator().next();
            return List.of(group(only.getKey(), only.getValue()));
        }
        Comparator<List<@Nullable Object>> order = (one, other) -> {
            for (int i = 0; i < one.size(); i++) {
                Object a = one.get(i);
                Object b = other.get(i);
                int compared = a == null || b == null ? Boolean.compare(a != null, b != null) : Kind.compare(a, b);
                if (compared != 0) {
                    return compared;
                }
            }
            return 0;
        };
        return groups.entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey(order))
                .map(group -> group(group.getKey(), group.getValue()))
                .toList();
    }

    private Group group(List<@Nullable Object> key, @Nullable Object[] values) {
        List<@Nullable Object> ownKey = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            ownKey.add(derived == null ? own(by.get(i), key.get(i)) : key.get(i));
        }
        List<@Nullable Object> ownValues = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            Aggregate aggregate = aggregates.get(i);
            Component component = components.get(aggregate.component());
            ownValues.add(switch (aggregate.function()) {
                case COUNT -> values[i];
                case SUM -> values[i] != null
                        ? values[i]
                        : component != null && component.kind() == Kind.REAL ? (Object) 0.0 : (Object) 0L;
                case MIN, MAX -> own(aggregate.component(), values[i]);
            });
        }
        return new Group(ownKey, ownValues);
    }

    private @Nullable Object own(String name, @Nullable Object canonical) {
        Component component = components.get(name);
        try {
            return canonical == null || component == null ? canonical : component.fromCanonical(canonical);
        } catch (IllegalArgumentException e) {
            throw new SpaceException(SpaceException.Reason.DAMAGED, "a tuple cannot be decoded: " + e.getMessage(), e);
        }
    }
}
