// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A type of tuples: a record class, its components and its constructor.
 *
 * @param <T> the record class
 */
public final class TupleType<T extends Record> {
    private static final ClassValue<TupleType<?>> TYPES = new ClassValue<>() {
        @Override
        protected TupleType<?> computeValue(Class<?> type) {
            return new TupleType<>(type.asSubclass(Record.class));
        }
    };

    private final Class<T> type;
    private final List<Component> components;
    /** The same, for loops that run for each tuple. */
    private final Component[] inOrder;
    private final Map<String, Integer> indexes = new HashMap<>();
    private final MethodHandles.Lookup lookup;
    private final Constructor<T> reflected;
    private final boolean isCallable;
    private int calls;
    // Made by the first thread that needs it, after some calls, because it takes milliseconds at a start.
    private @Nullable MethodHandle constructor;
    private final boolean immutable;
    /** Components that may refuse a value. */
    private final List<Component> fallible;

    private TupleType(Class<T> type) {
        this.type = type;
        RecordComponent[] declared = type.getRecordComponents();
        components = Arrays.stream(declared).map(Component::new).toList();
        inOrder = components.toArray(Component[]::new);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < components.size(); i++) {
            indexes.put(components.get(i).name(), i);
            if (!names.add(components.get(i).name().toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(type.getName() + " has two components that differ only in case: "
                        + components.get(i).name() + "; a durable space cannot keep them apart");
            }
        }
        immutable = components.stream().allMatch(Component::isImmutable);
        fallible = components.stream()
                .filter(component -> component.kind() != Kind.INTEGER && component.type() != byte[].class
                        && component.type() != Bytes.class && !component.type().isEnum())
                .toList();
        lookup = Component.lookup(type);
        try {
            reflected = type.getDeclaredConstructor(
                    components.stream().<Class<?>>map(Component::type).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalArgumentException("the constructor of " + type.getName(), e);
        }
        isCallable = reflected.trySetAccessible();
    }

    private MethodHandle constructor() {
        MethodHandle known = constructor;
        if (known == null) {
            try {
                known = lookup.unreflectConstructor(reflected)
                        .asSpreader(Object[].class, components.size())
                        .asType(MethodType.methodType(Record.class, Object[].class));
            } catch (ReflectiveOperationException e) {
                throw new IllegalArgumentException("the constructor of " + type.getName(), e);
            }
            constructor = known;
        }
        return known;
    }

    /**
     * Returns the type of a record class.
     *
     * @throws IllegalArgumentException when a component is of a class that cannot be stored
     */
    @SuppressWarnings("unchecked")
    public static <T extends Record> TupleType<T> of(Class<T> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + " is not a record class");
        }
        return (TupleType<T>) TYPES.get(type);
    }

    /** Returns the type of a tuple. */
    @SuppressWarnings("unchecked")
    public static <T extends Record> TupleType<T> of(T tuple) {
        return of((Class<T>) tuple.getClass());
    }

    /** Returns the record class. */
    public Class<T> recordClass() {
        return type;
    }

    /** Returns the name of the record class. */
    public String name() {
        return type.getName();
    }

    /** Returns the components in the order of declaration. */
    public List<Component> components() {
        return components;
    }

    /** Returns whether there is a component of this name. */
    public boolean has(String name) {
        return indexes.containsKey(name);
    }

    /**
     * Returns the index of a component.
     *
     * @throws IllegalArgumentException when there is no component of this name; the message lists the existing ones
     */
    public int indexOf(String name) {
        Integer index = indexes.get(name);
        if (index == null) {
            throw new IllegalArgumentException(type.getSimpleName() + " has no component \"" + name + "\", but "
                    + components.stream().map(Component::toString).collect(Collectors.joining(", ")));
        }
        return index;
    }

    /** Returns a component by name; fails like {@link #indexOf}. */
    public Component component(String name) {
        return components.get(indexOf(name));
    }

    /** Returns the canonical values of a tuple. */
    public @Nullable Object[] canonical(Record tuple) {
        @Nullable Object[] values = new @Nullable Object[inOrder.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = inOrder[i].canonical(tuple);
        }
        return values;
    }

    /** Returns roughly the number of bytes that a tuple takes in memory. */
    public long size(T tuple) {
        long size = 16;
        for (Object value : canonical(tuple)) {
            size += 16 + switch (value) {
                case String text -> text.length();
                case Bytes bytes -> bytes.length();
                case null, default -> 0;
            };
        }
        return size;
    }

    /**
     * Returns the tuple with these canonical values.
     *
     * @throws IllegalArgumentException when a value is not one of its component; the constructor may throw others
     */
    public T create(@Nullable Object[] canonical) {
        @Nullable Object[] values = new @Nullable Object[canonical.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = components.get(i).fromCanonical(canonical[i]);
        }
        try {
            MethodHandle known = constructor;
            // As in a component; threads may lose counts of each other.
            if (known == null && isCallable && calls++ < Component.CALLS_BEFORE_GENERATED) {
                return reflected.newInstance(values);
            }
            return type.cast((Record) (known == null ? constructor() : known).invokeExact(values));
        } catch (ReflectiveOperationException e) {
            throw Component.thrown(e, "the constructor of " + type.getName());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalArgumentException("the constructor of " + type.getName(), e);
        }
    }

    /**
     * Returns a tuple that shares no mutable value with the given one, which must be of this type; the tuple itself if
     * all its values are immutable.
     */
    public Record copyOf(Record tuple) {
        return immutable ? tuple : create(canonical(tuple));
    }

    /** Throws the exception of {@link #canonical} if a value cannot be stored; costs nothing if all values can. */
    public void check(Record tuple) {
        for (Component component : fallible) {
            component.canonical(tuple);
        }
    }

    /** Returns a predicate for several conditions, whose values are canonical. */
    public Predicate<Object> test(List<Condition> conditions) {
        Predicate<Object> all = null;
        for (Condition condition : conditions) {
            Predicate<Object> one = component(condition.component()).test(condition);
            Predicate<Object> before = all;
            all = before == null ? one : tuple -> before.test(tuple) && one.test(tuple);
        }
        return all == null ? tuple -> true : all;
    }

    /** Returns whether a store keeps such tuples for itself. */
    boolean isControl() {
        return ControlTuple.class.isAssignableFrom(type);
    }

    boolean isImmutable() {
        return immutable;
    }

    @Override
    public String toString() {
        return type.getName() + components;
    }
}
