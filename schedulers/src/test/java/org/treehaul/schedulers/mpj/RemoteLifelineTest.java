// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The messages that a rank receives from rank 0, and those that it misses. */
class RemoteLifelineTest {

    @TempDir
    private Path directory;

    @Test
    void theReasonOfRankZeroIsReadIfItCouldNotBeSent() throws Exception {
        Path meeting = directory.resolve("meeting");
        String secret = Secret.make();
        String reason = "rank 2 on far cannot take part";
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            new MeetingPoint("near", List.of(server.getInetAddress()), server.getLocalPort(), secret).write(meeting);
            CompletableFuture<Void> head = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    Line line = new Line(socket);
                    Handshake.asHead(line.in(), line.out(), secret);
                    // Rank 0 ends before it has informed this rank as well.
                    MeetingPoint.writeBroken(meeting, reason);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            RankPlace place = new RankPlace(1, 3, "near", meeting, 0, "1", "plan", RankPlace.ARRIVAL_LIMIT,
                    RankPlace.SILENCE_LIMIT);
            try (RemoteLifeline lifeline = RemoteLifeline.join(place)) {
                head.join();
                assertThatThrownBy(() -> lifeline.exchange(new Line.Ports(1, 2))).isInstanceOf(RanksException.class)
                        .hasMessage(reason);
            }
        }
    }
}
