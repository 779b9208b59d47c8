// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A tuple with components of all kinds, from which {@link AbsentClassTest} makes a class that is not on the class path.
 */
public record Task(int number, boolean isDone, double share, @Nullable Long size, @Nullable String text,
        @Nullable UUID id) {}
