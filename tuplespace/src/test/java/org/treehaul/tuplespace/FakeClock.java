// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that advances when a test requests it. */
final class FakeClock implements InstantSource {
    private final AtomicLong millis = new AtomicLong(1_000_000_000_000L);

    void pass(Duration time) {
        millis.addAndGet(time.toMillis());
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis.get());
    }
}
