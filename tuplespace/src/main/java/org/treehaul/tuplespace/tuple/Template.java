// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Which tuples are meant: those of a type, subtypes included, whose components meet every condition. A component that
 * no condition names may have any value. Immutable.
 * <p>
 * Where the type is an interface, a condition names a method of it, and holds for the component of that name; a record
 * that has none does not match.
 *
 * @param <T> the type, a record class, an interface of records, or {@link Record} for all tuples
 */
public final class Template<T> {
    private final Class<T> type;
    private final List<Condition> conditions;

    private Template(Class<T> type, List<Condition> conditions) {
        this.type = type;
        this.conditions = List.copyOf(conditions);
    }

    /** Returns the template of all tuples of a type and its subtypes. */
    public static <T> Template<T> of(Class<T> type) {
        if (type.isRecord()) {
            TupleType.of(type.asSubclass(Record.class));
        } else if (!type.isInterface() && type != Record.class && type != Object.class) {
            throw new IllegalArgumentException(type.getName() + " is neither a record class nor an interface");
        }
        return new Template<>(type, List.of());
    }

    /**
     * Returns the template of the tuples that equal an example wherever it is not null. Components of primitive types
     * always count, as they cannot be null.
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
        return new Template<>((Class<T>) example.getClass(), conditions);
    }

    /** Returns the type. */
    public Class<T> type() {
        return type;
    }

    /** Returns the conditions, all of which a tuple has to meet. */
    public List<Condition> conditions() {
        return conditions;
    }

    /** Also requires a component to equal a value. */
    public Template<T> equal(String component, Object value) {
        return with(new Condition.Equal(component, value));
    }

    /** Also requires a component to equal a value. */
    public <V> Template<T> equal(Accessor<? super T, ? extends V> component, V value) {
        return equal(Accessor.nameOf(component), Objects.requireNonNull(value));
    }

    /** Also requires a component to equal one of some values. */
    public Template<T> in(String component, Collection<?> values) {
        return with(new Condition.In(component, Set.copyOf(values)));
    }

    /** Also requires a component to equal one of some values. */
    public <V> Template<T> in(Accessor<? super T, ? extends V> component, Collection<? extends V> values) {
        return in(Accessor.nameOf(component), values);
    }

    /** Also requires a component to be between two values, both included; null leaves that end open. */
    public Template<T> range(String component, @Nullable Object low, @Nullable Object high) {
        return with(new Condition.Range(component, low, high));
    }

    /** Also requires a component to be between two values, both included; null leaves that end open. */
    public <V> Template<T> range(Accessor<? super T, ? extends V> component, @Nullable V low, @Nullable V high) {
        return range(Accessor.nameOf(component), low, high);
    }

    /** Also requires a component to be a value or more. */
    public Template<T> atLeast(String component, Object value) {
        return range(component, value, null);
    }

    /** Also requires a component to be a value or less. */
    public Template<T> atMost(String component, Object value) {
        return range(component, null, value);
    }

    /** Also requires a text or bytes to begin so. */
    public Template<T> prefix(String component, Object value) {
        return with(new Condition.Prefix(component, value));
    }

    /** Also requires a text or bytes to end so. */
    public Template<T> suffix(String component, Object value) {
        return with(new Condition.Suffix(component, value));
    }

    /** Also requires a component to be absent. */
    public Template<T> isNull(String component) {
        return with(new Condition.Absent(component));
    }

    /** Also requires a component to be there. */
    public Template<T> notNull(String component) {
        return with(new Condition.Not(new Condition.Absent(component)));
    }

    /**
     * Also requires a component to be there and to pass a test of its canonical value (see {@link Kind}), which no
     * index makes faster.
     */
    public Template<T> test(String component, String description, Predicate<Object> test) {
        return with(new Condition.Test(component, description, test));
    }

    /** Also requires that a condition is not met; an absent component meets only {@link Condition.Absent}. */
    public Template<T> not(Condition condition) {
        return with(new Condition.Not(condition));
    }

    /** Also requires a component to meet at least one of some conditions on it. */
    public Template<T> anyOf(String component, List<Condition> any) {
        return with(new Condition.AnyOf(component, any));
    }

    /**
     * Adds a condition.
     *
     * @throws IllegalArgumentException when the type has no such component, or the value does not fit it
     */
    public Template<T> with(Condition condition) {
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
        return new Template<>(type, more);
    }

    private static Condition fit(Condition condition, Component component) {
        String name = component.name();
        switch (condition) {
            case Condition.Range range when !component.isOrdered() -> throw new IllegalArgumentException("component "
                    + name + " of " + component.type().getTypeName() + " has no order that ranges could go by");
            case Condition.Prefix prefix when !isText(component) -> throw noText(component);
            case Condition.Suffix suffix when !isText(component) -> throw noText(component);
            default -> {
            }
        }
        return switch (condition) {
            case Condition.Equal(String ignored, Object value) -> new Condition.Equal(name, component.asked(value));
            case Condition.In(String ignored, Set<Object> values) ->
                new Condition.In(name, values.stream().map(component::asked).collect(Collectors.toSet()));
            case Condition.Range(String ignored, Object low, Object high) -> new Condition.Range(name,
                    low == null ? null : component.asked(low), high == null ? null : component.asked(high));
            case Condition.Prefix(String ignored, Object value) -> new Condition.Prefix(name, component.asked(value));
            case Condition.Suffix(String ignored, Object value) -> new Condition.Suffix(name, component.asked(value));
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
                + " is neither text nor bytes, so it has no beginning and no end");
    }

    /** Returns the conditions as tuples of a type have to meet them; empty where none of that type can match. */
    public Optional<List<Condition>> conditionsFor(TupleType<?> tuples) {
        if (!type.isAssignableFrom(tuples.recordClass())) {
            return Optional.empty();
        }
        if (type.isRecord()) {
            return Optional.of(conditions);
        }
        List<Condition> fitted = new ArrayList<>();
        for (Condition condition : conditions) {
            if (!tuples.has(condition.component())) {
                return Optional.empty();
            }
            try {
                fitted.add(fit(condition, tuples.component(condition.component())));
            } catch (IllegalArgumentException otherClass) {
                return Optional.empty();
            }
        }
        return Optional.of(fitted);
    }

    /** Returns the test of tuples of a type; empty where none of that type can match. */
    public Optional<Predicate<Object>> testFor(TupleType<?> tuples) {
        return conditionsFor(tuples).map(tuples::test);
    }

    /** Tells whether a tuple matches. */
    public boolean matches(Record tuple) {
        return type.isInstance(tuple) && testFor(TupleType.of(tuple)).map(test -> test.test(tuple)).orElse(false);
    }

    @Override
    public String toString() {
        return type.getSimpleName() + conditions;
    }
}
