// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

/** How long a mount caches attributes, according to mountinfo of Linux, and when a worker is then considered dead. */
class AttributeCacheTest {

    private static final List<String> MOUNTS = List.of("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "40 22 0:41 / /home rw,relatime shared:2 - nfs4 server:/home rw,vers=4.2,acregmin=30,acregmax=300,acdirmax=600,hard",
            "41 22 0:42 / /home/a\\040b rw - nfs server:/x rw,vers=3,acregmax=90",
            "42 22 0:43 / /cifs rw - cifs //server/x rw,vers=3.1.1,actimeo=7200",
            "43 22 0:44 / /over rw - nfs server:/o rw,acregmax=900", "44 43 0:45 / /over rw - tmpfs tmpfs rw",
            "45 22 0:46 / /plain rw - nfs4 server:/p rw,vers=4.1");

    private static long seconds(String directory) {
        return AttributeCache.of(Path.of(directory), MOUNTS).toSeconds();
    }

    @Test
    void theLongestCacheTimeOfTheMountCounts() {
        assertThat(seconds("/home/me/.treehaul")).isEqualTo(600);
        assertThat(seconds("/home")).isEqualTo(600);
        assertThat(seconds("/homes")).isZero();
        assertThat(seconds("/home/a b/c")).isEqualTo(90);
        assertThat(seconds("/cifs/x")).isEqualTo(7200);
        assertThat(seconds("/over/x")).as("the last mount in a place is the one that is seen").isZero();
        assertThat(seconds("/plain")).as("the defaults of 60 s, which nfs(5) does not show").isZero();
        assertThat(AttributeCache.of(Path.of("/tmp"))).isZero();
    }

    @Test
    void aWorkerIsTakenForDeadLaterWhereACacheIsLong() {
        Timing timing = Timing.defaults();
        assertThat(timing.silenceLimit(Duration.ZERO)).isEqualTo(Duration.ofMinutes(2));
        assertThat(timing.silenceLimit(Duration.ofSeconds(60))).isEqualTo(Duration.ofMinutes(2));
        assertThat(timing.silenceLimit(Duration.ofMinutes(10))).isEqualTo(Duration.ofMinutes(11));
    }
}
