// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * An accessor of a record as a method reference ({@code File::size}). Serializable only to make its name available.
 *
 * @param <T> the record
 * @param <V> the component
 */
@FunctionalInterface
public interface Accessor<T, V extends @Nullable Object> extends Function<T, V>, Serializable {

    /** Returns the name of the component that the method reference reads. */
    static String nameOf(Accessor<?, ?> accessor) {
        try {
            Method replace = accessor.getClass().getDeclaredMethod("writeReplace");
            replace.setAccessible(true);
            String name = ((SerializedLambda) replace.invoke(accessor)).getImplMethodName();
            if (name.startsWith("lambda$")) {
                throw new IllegalArgumentException(
                        "a method reference to an accessor is needed, such as File::size, not a lambda");
            }
            return name;
        } catch (ReflectiveOperationException | RuntimeException e) {
            if (e instanceof IllegalArgumentException notReference) {
                throw notReference;
            }
            throw new IllegalArgumentException("the name of this accessor cannot be determined; pass the name itself",
                    e);
        }
    }
}
