// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.TransferFixture;

/** A server that fails to answer once does not end a heartbeat. */
class HeartbeatTest {

    @Test
    void oneThatFailsIsFollowedByTheNext() {
        AtomicInteger looks = new AtomicInteger();
        Cancellation work = new Cancellation();
        Lease lease = new Lease(Duration.ofHours(1), work, Lease.Moment.now());
        try (Heartbeat heartbeat = new Heartbeat(lease, TransferFixture.CALM, () -> switch (looks.incrementAndGet()) {
            case 1 -> throw new UncheckedIOException(new IOException("stale"));
            case 2 -> throw new IOException("stale");
            default -> Optional.of(Lease.Loss.SUPERSEDED);
        })) {
            heartbeat.start();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> lease.loss().isPresent());
        }
        assertThat(looks.get()).isGreaterThanOrEqualTo(3);
        assertThat(lease.loss()).contains(Lease.Loss.SUPERSEDED);
    }

    @Test
    void aDirectoryThatCannotBeReadToItsEndIsReportedAsAnyOtherFault() throws IOException {
        Iterator<Path> names = List.of(Path.of("one")).iterator();
        IOException fault = new IOException("stale");
        try (Listing listing = new Listing(new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        if (!names.hasNext()) {
                            throw new DirectoryIteratorException(fault);
                        }
                        return true;
                    }

                    @Override
                    public Path next() {
                        return names.next();
                    }
                };
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        })) {
            assertThat(listing.next()).hasToString("one");
            assertThatThrownBy(listing::next).isSameAs(fault);
        }
    }
}
