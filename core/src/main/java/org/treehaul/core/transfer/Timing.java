// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;

/**
 * How often the workers of a transfer tell that they live, and when others may think that one does not. All workers of
 * a transfer go by the same.
 *
 * @param heartbeat a worker writes its progress and looks for a newer generation this often
 * @param takeover a batch whose worker was not heard of for so long may be claimed by another
 * @param durableTime what was written is synced, and noted as durable, this often
 * @param durableBytes and whenever so many bytes were written
 */
public record Timing(Duration heartbeat, Duration takeover, Duration durableTime, long durableBytes) {

    /** Makes a timing. */
    public Timing {
        if (heartbeat.isZero() || heartbeat.isNegative() || durableTime.isNegative() || durableBytes < 1) {
            throw new IllegalArgumentException(
                    "no time at all: " + heartbeat + ", " + durableTime + ", " + durableBytes);
        }
        // A worker stops when its last good look is older than half the takeover time: it needs some looks in that.
        if (takeover.compareTo(heartbeat.multipliedBy(4)) < 0) {
            throw new IllegalArgumentException("takeover after less than 4 heartbeats: " + takeover);
        }
    }

    /** Returns 10 s between heartbeats, takeover after 2 min, durable every 10 s and every GiB. */
    public static Timing defaults() {
        return new Timing(Duration.ofSeconds(10), Duration.ofMinutes(2), Duration.ofSeconds(10), 1L << 30);
    }

    /**
     * Returns how long nothing must have been heard of a worker before another takes its place, where a cache may show
     * what the server said so long ago. A cache of half the takeover time is allowed for. The worker itself goes by the
     * takeover time, whatever others wait, so that no two need to agree.
     */
    Duration silence(Duration cache) {
        Duration over = cache.minus(takeover.dividedBy(2));
        return over.isNegative() ? takeover : takeover.plus(over);
    }

    /** Returns this with other times of heartbeat and takeover. */
    public Timing withHeartbeat(Duration every, Duration takeoverAfter) {
        return new Timing(every, takeoverAfter, durableTime, durableBytes);
    }

    /** Returns this with another time and number of bytes between two syncs. */
    public Timing withDurable(Duration every, long bytes) {
        return new Timing(heartbeat, takeover, every, bytes);
    }

    KeyFile writeTo(KeyFile file) {
        return file.with("heartbeat-ms", heartbeat.toMillis())
                .with("takeover-ms", takeover.toMillis())
                .with("durable-ms", durableTime.toMillis())
                .with("durable-bytes", durableBytes);
    }

    static Timing readFrom(KeyFile file) {
        return new Timing(Duration.ofMillis(file.number("heartbeat-ms")), Duration.ofMillis(file.number("takeover-ms")),
                Duration.ofMillis(file.number("durable-ms")), file.number("durable-bytes"));
    }
}
