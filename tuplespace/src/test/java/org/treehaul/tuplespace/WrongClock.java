// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import org.jspecify.annotations.Nullable;

/** The wrong clock of a node. A store takes it for that of the system, as it has to on such a node. */
final class WrongClock implements InstantSource {
    private final Duration ahead;

    WrongClock(Duration ahead) {
        this.ahead = ahead;
    }

    @Override
    public Instant instant() {
        return InstantSource.system().instant().plus(ahead);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return InstantSource.system().equals(other);
    }

    @Override
    public int hashCode() {
        return InstantSource.system().hashCode();
    }
}
