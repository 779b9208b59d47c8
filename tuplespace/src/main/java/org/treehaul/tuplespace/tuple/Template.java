// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Selects tuples: those of a type, including its subtypes, whose components meet every condition. A component without a
 * condition may have any value. Immutable.
 * <p>
 * If the type is an interface, a condition names one of its methods and applies to the component of that name; a record
 * without such a component does not match.
 *
 * @param <T> the type: a record class, an interface of records, or {@link Record} for all tuples
 */
public final class Template<T> {
    // So few alternatives are compared with each other faster than their hash codes are computed.
    private static final int FEW = 8;

    private final Class<T> type;
    private final List<Condition> conditions;
    /** The alternatives, of which a tuple must match at least one; if empty, it must meet the conditions. */
    private final List<Template<?>> any;
    /** The test of the record class that was matched last: callers that wait and registrations match each change. */
    private volatile @Nullable ClassTest lastTest;

    private record ClassTest(Class<?> recordClass, Predicate<Object> test) {}

    private Template(Class<T> type, List<Condition> conditions, List<Template<?>> any) {
        this.type = type;
        this.conditions = List.copyOf(conditions);
        this.any = List.copyOf(any);
    }

    /** Returns the template that matches all tuples of a type and its subtypes. */
    public static <T> Template<T> of(Class<T> type) {
        if (type.isRecord()) {
            TupleType.of(type.asSubclass(Record.class));
        } else if (!type.isInterface() && type != Record.class && type != Object.class) {
            throw new IllegalArgumentException(type.getName() + " is neither a record class nor an interface");
        }
        return new Template<>(type, List.of(), List.of());
    }

    /**
     * Returns the template that matches the tuples of a type that match at least one of several templates. A tuple that
     * matches several counts once and causes one event.
     *
     * @throws IllegalArgumentException when the collection is empty
     */
    public static <T> Template<T> ofAny(Class<T> type, Collection<? extends Template<?>> templates) {
        if (templates.isEmpty()) {
            throw new IllegalArgumentException("no templates, so nothing could match");
        }
        return new Template<>(of(type).type, List.of(), List.copyOf(templates));
    }

    /**
     * Returns the template of the tuples that equal an example in each of its components that is not null. Components
     * of primitive types always count, because they cannot be null.
     */
    @SuppressWarnings("unchecked")
    public static <T extends Record> Template<T> like(T example) {
        List<Condition> conditions = new ArrayList<>();
        for (Component component : TupleType.of(example).components()) {
            Object value = component.canonical(example);
            if (value != null) {
                conditions.add(new Condition.Equal(component.name(), value));
            }
        }
        return new Template<>((Class<T>) example.getClass(), conditions, List.of());
    }

    /** Returns the type of the tuples. */
    public Class<T> type() {
        return type;
    }

    /** Returns whether tuples of all record classes may match, even of classes that are unknown here. */
    public boolean isOfAllTypes() {
        return any.isEmpty()
                ? type == Record.class || type == Object.class
                : any.stream().anyMatch(Template::isOfAllTypes);
    }

    /** Adds the condition that a component equals a value. */
    public Template<T> equal(String component, Object value) {
        return with(new Condition.Equal(component, value));
    }

    /** Adds the condition that a component equals a value. */
    public <V> Template<T> equal(Accessor<? super T, ? extends V> component, V value) {
        return equal(Accessor.nameOf(component), Objects.requireNonNull(value));
    }

    /** Adds the condition that a component equals one of several values. */
    public Template<T> in(String component, Collection<?> values) {
        return with(new Condition.In(component, Set.copyOf(values)));
    }

    /** Adds the condition that a component equals one of several values. */
    public <V> Template<T> in(Accessor<? super T, ? extends V> component, Collection<? extends V> values) {
        return in(Accessor.nameOf(component), values);
    }

    /** Adds the condition that a component lies between two values, both inclusive; null leaves that end open. */
    public Template<T> range(String component, @Nullable Object low, @Nullable Object high) {
        return with(new Condition.Range(component, low, high));
    }

    /** Adds the condition that a component lies between two values, both inclusive; null leaves that end open. */
    public <V> Template<T> range(Accessor<? super T, ? extends V> component, @Nullable V low, @Nullable V high) {
        return range(Accessor.nameOf(component), low, high);
    }

    /** Adds the condition that a component is at least a value. */
    public Template<T> atLeast(String component, Object value) {
        return range(component, value, null);
    }

    /** Adds the condition that a component is at most a value. */
    public Template<T> atMost(String component, Object value) {
        return range(component, null, value);
    }

    /** Adds the condition that a text or byte sequence begins with this value. */
    public Template<T> prefix(String component, Object value) {
        return with(new Condition.Prefix(component, value));
    }

    /** Adds the condition that a text or byte sequence ends with this value. */
    public Template<T> suffix(String component, Object value) {
        return with(new Condition.Suffix(component, value));
    }

    /** Adds the condition that a text or byte sequence contains this value. No index speeds such a condition up. */
    public Template<T> contains(String component, Object value) {
        return with(new Condition.Contains(component, value));
    }

    /** Adds the condition that a component is absent. */
    public Template<T> isNull(String component) {
        return with(new Condition.Absent(component));
    }

    /** Adds the condition that a component is present. */
    public Template<T> notNull(String component) {
        return with(new Condition.Not(new Condition.Absent(component)));
    }

    /**
     * Adds the condition that a component is present and its canonical value passes a predicate (see {@link Kind}). No
     * index speeds such a condition up.
     */
    public Template<T> test(String component, String description, Predicate<Object> test) {
        return with(new Condition.Test(component, description, test));
    }

    /** Adds the negation of a condition. An absent component meets no condition but {@link Condition.Absent}. */
    public Template<T> not(Condition condition) {
        return with(new Condition.Not(condition));
    }

    /** Adds the condition that a component meets at least one of several conditions. */
    public Template<T> anyOf(String component, List<Condition> any) {
        return with(new Condition.AnyOf(component, any));
    }

    /**
     * Adds a condition.
     *
     * @throws IllegalArgumentException when the type has no such component, or the value does not fit it
     */
    public Template<T> with(Condition condition) {
        if (!any.isEmpty()) {
            List<Template<?>> all = new ArrayList<>();
            any.forEach(one -> all.add(one.with(condition)));
            return new Template<>(type, List.of(), all);
        }
        List<Condition> more = new ArrayList<>(conditions);
        if (type.isRecord()) {
            more.add(fit(condition, TupleType.of(type.asSubclass(Record.class)).component(condition.component())));
        } else {
            try {
                type.getMethod(condition.component());
            } catch (NoSuchMethodException e) {
                throw new IllegalArgumentException(type.getName() + " has no method " + condition.component() + "()",
                        e);
            }
            more.add(condition);
        }
        return new Template<>(type, more, List.of());
    }

    private static Condition fit(Condition condition, Component component) {
        String name = component.name();
        switch (condition) {
            case Condition.Range range when !component.isOrdered() -> throw new IllegalArgumentException("component "
                    + name + " of " + component.type().getTypeName() + " has no order, so it cannot have ranges");
            case Condition.Prefix prefix when !isText(component) -> throw noText(component);
            case Condition.Suffix suffix when !isText(component) -> throw noText(component);
            case Condition.Contains contains when !isText(component) -> throw noText(component);
            default -> {
            }
        }
        return switch (condition) {
            case Condition.Equal(String ignored, Object value) ->
                new Condition.Equal(name, component.toCanonical(value));
            case Condition.In(String ignored, Set<Object> values) ->
                new Condition.In(name, values.stream().map(component::toCanonical).collect(Collectors.toSet()));
            case Condition.Range(String ignored, Object low, Object high) -> new Condition.Range(name,
                    low == null ? null : component.toCanonical(low), high == null ? null : component.toCanonical(high));
            case Condition.Prefix(String ignored, Object value) ->
                new Condition.Prefix(name, component.toCanonical(value));
            case Condition.Suffix(String ignored, Object value) ->
                new Condition.Suffix(name, component.toCanonical(value));
            case Condition.Contains(String ignored, Object value) ->
                new Condition.Contains(name, component.toCanonical(value));
            case Condition.Not(Condition inner) -> new Condition.Not(fit(inner, component));
            case Condition.AnyOf(String ignored, List<Condition> any) ->
                new Condition.AnyOf(name, any.stream().map(one -> fit(one, component)).toList());
            case Condition.Absent absent -> absent;
            case Condition.Test test -> test;
        };
    }

    private static boolean isText(Component component) {
        return component.isOrdered() && (component.kind() == Kind.TEXT || component.kind() == Kind.BLOB);
    }

    private static IllegalArgumentException noText(Component component) {
        return new IllegalArgumentException("component " + component.name() + " of " + component.type().getTypeName()
                + " is neither text nor bytes, so it has no parts");
    }

    /**
     * Returns the conditions as alternatives: a tuple of the type must meet all conditions of at least one list.
     * Without any list, no tuple of the type can match.
     */
    public List<List<Condition>> conditionsFor(TupleType<?> tuples) {
        boolean isHidden = tuples.isControl() && !type.isRecord();
        if (isHidden || !type.isAssignableFrom(tuples.recordClass())) {
            return List.of();
        }
        if (!any.isEmpty()) {
            // Loops: queries for a few tuples are so short that streams count.
            Collection<List<Condition>> all = any.size() > FEW ? new LinkedHashSet<>() : new ArrayList<>();
            for (Template<?> one : any) {
                for (List<Condition> alternative : one.conditionsFor(tuples)) {
                    if (any.size() > FEW || !all.contains(alternative)) {
                        all.add(alternative);
                    }
                }
            }
            return List.copyOf(all);
        }
        if (type.isRecord()) {
            return List.of(conditions);
        }
        List<Condition> fitted = new ArrayList<>();
        for (Condition condition : conditions) {
            if (!tuples.has(condition.component())) {
                return List.of();
            }
            try {
                fitted.add(fit(condition, tuples.component(condition.component())));
            } catch (IllegalArgumentException otherClass) {
                return List.of();
            }
        }
        return List.of(fitted);
    }

    /** Returns whether a tuple matches. */
    public boolean matches(Record tuple) {
        if (!type.isInstance(tuple)) {
            return false;
        }
        ClassTest known = lastTest;
        if (known == null || known.recordClass() != tuple.getClass()) {
            known = new ClassTest(tuple.getClass(), test(TupleType.of(tuple)));
            lastTest = known;
        }
        return known.test().test(tuple);
    }

    private Predicate<Object> test(TupleType<?> tuples) {
        List<Predicate<Object>> tests = conditionsFor(tuples).stream().map(tuples::test).toList();
        return tests.size() == 1 ? tests.getFirst() : tuple -> tests.stream().anyMatch(test -> test.test(tuple));
    }

    @Override
    public String toString() {
        return any.isEmpty() ? type.getSimpleName() + conditions : "any of " + any;
    }
}
