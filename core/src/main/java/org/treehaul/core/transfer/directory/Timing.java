// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.time.Duration;

import org.treehaul.core.state.StateFile;

/**
 * Heartbeat, takeover and sync intervals, shared by all workers of a transfer.
 *
 * @param heartbeat the interval at which a worker writes its progress and looks for a newer generation
 * @param takeover the time without a sign of life after which another worker may claim a batch
 * @param durableTime the interval at which written data are synced and recorded as durable
 * @param durableBytes the number of bytes after which this also happens
 */
public record Timing(Duration heartbeat, Duration takeover, Duration durableTime, long durableBytes) {

    /** Creates a timing. */
    public Timing {
        if (heartbeat.isZero() || heartbeat.isNegative() || durableTime.isNegative() || durableBytes < 1) {
            throw new IllegalArgumentException(
                    "not a positive time: " + heartbeat + ", " + durableTime + ", " + durableBytes);
        }
        // A worker stops when its last successful check is older than half the takeover time, which must allow several
        // checks.
        if (takeover.compareTo(Durations.multiple(heartbeat, 4)) < 0) {
            throw new IllegalArgumentException("takeover after fewer than 4 heartbeats: " + takeover);
        }
    }

    /** Returns the defaults: heartbeat every 10 s, takeover after 2 min, sync every 10 s and every GiB. */
    public static Timing defaults() {
        return new Timing(Duration.ofSeconds(10), Duration.ofMinutes(2), Duration.ofSeconds(10), 1L << 30);
    }

    /**
     * Returns how long a worker must be silent before another takes its place, when cached attributes may be as old as
     * given. A cache time of half the takeover time is already allowed for. The worker itself uses the takeover time,
     * no matter how long others wait, so that no two of them need to agree.
     */
    Duration silenceLimit(Duration cache) {
        Duration over = cache.minus(Durations.part(takeover, 2));
        return over.isNegative() ? takeover : takeover.plus(over);
    }

    /** Returns a copy with another heartbeat interval and takeover time. */
    public Timing withHeartbeat(Duration every, Duration takeoverAfter) {
        return new Timing(every, takeoverAfter, durableTime, durableBytes);
    }

    /** Returns a copy with another interval and number of bytes between syncs. */
    public Timing withDurable(Duration every, long bytes) {
        return new Timing(heartbeat, takeover, every, bytes);
    }

    StateFile writeTo(StateFile file) {
        return file.with("heartbeat-ms", heartbeat.toMillis())
                .with("takeover-ms", takeover.toMillis())
                .with("durable-ms", durableTime.toMillis())
                .with("durable-bytes", durableBytes);
    }

    static Timing readFrom(StateFile file) {
        return new Timing(Duration.ofMillis(file.number("heartbeat-ms")), Duration.ofMillis(file.number("takeover-ms")),
                Duration.ofMillis(file.number("durable-ms")), file.number("durable-bytes"));
    }
}
