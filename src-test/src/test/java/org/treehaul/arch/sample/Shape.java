// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.sample;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/**
 * A shape.
 *
 * @param <T> the type of its parts
 */
public sealed interface Shape<T extends Comparable<T>> extends Serializable {

    /** A constant, whose value compilers copy into programs. */
    int CORNERS = 4;

    /** Has type parameters, a wildcard, an array and exceptions. */
    <E extends Exception> @Nullable T largest(List<? super T> parts, int[] sizes) throws E, IOException;

    /** Has an implementation. */
    default Map<String, @Nullable T> named() {
        return Map.of();
    }

    /** Is no part of the API. */
    @Internal
    int hidden();

    /** A kind. */
    enum Kind {
        ROUND,
        EDGED
    }

    /** The only shape. */
    record Circle(@Nullable String name, long radius) implements Shape<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public <E extends Exception> @Nullable String largest(List<? super String> parts, int[] sizes) {
            return name;
        }

        @Override
        public int hidden() {
            return 0;
        }
    }
}
