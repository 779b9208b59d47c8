// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/** A component of a type of tuples: its name, its class, and access to its value in canonical form. */
public final class Component {
    private final String name;
    private final Class<?> type;
    private final ComponentType componentType;
    private final Function<Object, @Nullable Object> getter;
    /** Reads primitive integers without boxing; null for other components. */
    private final @Nullable ToLongFunction<Object> longGetter;

    @SuppressWarnings("unchecked")
    Component(RecordComponent component) {
        name = component.getName();
        type = component.getType();
        componentType = ComponentType.of(type);
        MethodHandles.Lookup lookup = lookup(component.getDeclaringRecord());
        try {
            MethodHandle accessor = lookup.unreflect(component.getAccessor());
            boolean isGenerated = lookup.hasFullPrivilegeAccess();
            getter = isGenerated
                    ? (Function<Object, @Nullable Object>) generate(lookup, Function.class, "apply", Object.class,
                            accessor, MethodType.methodType(type).wrap().returnType())
                    : called(accessor.asType(MethodType.methodType(Object.class, Object.class)));
            longGetter = isGenerated && type.isPrimitive() && componentType.kind() == Kind.INTEGER
                    && type != boolean.class
                            ? (ToLongFunction<Object>) generate(lookup, ToLongFunction.class, "applyAsLong", long.class,
                                    accessor, long.class)
                            : null;
        } catch (Throwable e) {
            throw new IllegalArgumentException("component " + name + " of " + component.getDeclaringRecord(), e);
        }
    }

    /**
     * Calls an accessor through its handle: in records of another module or class loader, no lambda can be generated.
     */
    private static Function<Object, @Nullable Object> called(MethodHandle accessor) {
        return tuple -> {
            try {
                return accessor.invokeExact(tuple);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        };
    }

    /**
     * Generates a lambda that is as fast as one in source; a method handle in a field is ten times slower than a call.
     */
    private static Object generate(MethodHandles.Lookup lookup, Class<?> functional, String method, Class<?> returned,
            MethodHandle accessor, Class<?> result) throws Throwable {
        return LambdaMetafactory
                .metafactory(lookup, method, MethodType.methodType(functional),
                        MethodType.methodType(returned, Object.class), accessor,
                        MethodType.methodType(result, accessor.type().parameterType(0)))
                .getTarget()
                .invoke();
    }

    static MethodHandles.Lookup lookup(Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            Module here = Component.class.getModule();
            throw new IllegalArgumentException("the components of " + type.getName() + " cannot be read: its module has"
                    + " to open " + type.getPackageName() + " to " + (here.isNamed() ? here.getName() : "ALL-UNNAMED"),
                    e);
        }
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the declared class. */
    public Class<?> type() {
        return type;
    }

    /** Returns the kind of its canonical values. */
    public Kind kind() {
        return componentType.kind();
    }

    /** Returns whether canonical values are ordered as the values are, so that ranges and orders make sense. */
    public boolean isOrdered() {
        return componentType.isOrdered();
    }

    boolean isImmutable() {
        return componentType.isImmutable();
    }

    /** Returns the component's value in a tuple, in canonical form. */
    public @Nullable Object canonical(Record tuple) {
        return componentType.canonical(getter.apply(tuple));
    }

    /** Converts a canonical value to the component's own class. Absent values of primitives are 0 or false. */
    public @Nullable Object fromCanonical(@Nullable Object canonical) {
        if (canonical == null && type.isPrimitive()) {
            return componentType.value(componentType.kind() == Kind.REAL ? (Object) 0.0 : (Object) 0L);
        }
        return componentType.value(canonical);
    }

    /** Returns the canonical form of an absent value: 0 for primitives, else null. */
    public @Nullable Object absent() {
        return !type.isPrimitive() ? null : componentType.kind() == Kind.REAL ? (Object) 0.0 : (Object) 0L;
    }

    /**
     * Returns the canonical form of a value given in a template. Integer components accept any integer, real ones any
     * number, enums also the name of a constant, and components of kind BLOB also byte arrays and {@link Bytes}.
     *
     * @throws IllegalArgumentException when the value is of another class
     */
    public Object toCanonical(Object value) {
        try {
            Object canonical = switch (componentType.kind()) {
                case INTEGER -> switch (value) {
                    case Boolean bool when isBoolean() -> componentType.toCanonical().apply(bool);
                    case Character character when type == char.class || type == Character.class -> (long) character;
                    case Byte number when !isBoolean() -> number.longValue();
                    case Short number when !isBoolean() -> number.longValue();
                    case Integer number when !isBoolean() -> number.longValue();
                    case Long number when !isBoolean() -> number;
                    default -> null;
                };
                case REAL -> value instanceof Number number ? ComponentType.real(number.doubleValue()) : null;
                case TEXT -> value instanceof String && !type.isEnum() || type.isInstance(value)
                        ? componentType.toCanonical().apply(value)
                        : value instanceof String name
                                ? componentType.toCanonical().apply(componentType.fromCanonical().apply(name))
                                : null;
                case BLOB -> type.isInstance(value)
                        ? componentType.toCanonical().apply(value)
                        : value instanceof byte[] bytes ? Bytes.of(bytes) : value instanceof Bytes bytes ? bytes : null;
            };
            if (canonical != null) {
                return canonical;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("component " + name + ": " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("component " + name + " is of " + type.getTypeName() + ", which no "
                + value.getClass().getTypeName() + " can be compared with");
    }

    private boolean isBoolean() {
        return type == boolean.class || type == Boolean.class;
    }

    /** Returns a predicate on tuples of this type for a condition whose values {@link #toCanonical} has converted. */
    Predicate<Object> test(Condition condition) {
        ToLongFunction<Object> number = longGetter;
        if (number != null) {
            if (condition instanceof Condition.Equal(String component, Object value)) {
                long wanted = (Long) value;
                return tuple -> number.applyAsLong(tuple) == wanted;
            }
            if (condition instanceof Condition.Range(String component, Object low, Object high)) {
                long least = low == null ? Long.MIN_VALUE : (Long) low;
                long greatest = high == null ? Long.MAX_VALUE : (Long) high;
                return tuple -> {
                    long value = number.applyAsLong(tuple);
                    return value >= least && value <= greatest;
                };
            }
        }
        if (condition instanceof Condition.Equal(String component, Object value) && type == String.class) {
            return tuple -> value.equals(getter.apply(tuple));
        }
        if (condition instanceof Condition.Equal(String component, Object value) && type.isEnum()) {
            Object constant = componentType.fromCanonical().apply(value);
            return tuple -> constant.equals(getter.apply(tuple));
        }
        return tuple -> condition.isMetBy(componentType.canonical(getter.apply(tuple)));
    }

    @Override
    public String toString() {
        return name + ": " + type.getSimpleName();
    }
}
