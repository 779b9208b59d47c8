// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;

/** Connections whose server is lost, and addresses with a lost server among others. */
class SilentServersTest {
    private static final long SOON = Duration.ofMillis(100).toNanos();

    private final PostgresServer server = PostgresServer.shared();

    private static InetSocketAddress named(SilentServers.Host host) {
        return new InetSocketAddress(host.name(), host.port());
    }

    private Statements connect(int port, SilentServers watched) throws SQLException {
        return new Statements(
                DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=owner"), watched,
                false);
    }

    @Test
    void aSlowStatementOfAServerThatAnswersIsLeftAlone() throws Exception {
        waitsForASlowStatement();
    }

    private void waitsForASlowStatement() throws Exception {
        try (SilentServers watched = new SilentServers(SOON, 5_000, SilentServersTest::named);
                Statements connection = connect(server.port(), watched)) {
            assertThat(connection.number("SELECT 7 FROM pg_sleep(1)")).isEqualTo(7);
        }
    }

    @Test
    void aServerWithTlsDoesNotLogThatItIsAsked() throws Exception {
        server.offerTls(true);
        try {
            int before = server.log().length();
            waitsForASlowStatement();
            assertThat(server.log().substring(before)).doesNotContain("SSL", "GSS", "protocol", "packet");
        } finally {
            server.offerTls(false);
        }
    }

    @Test
    void aStatementFailsWhenNothingOfTheServerArrivesAnyMore() throws Exception {
        try (Cable cable = new Cable(server.port());
                SilentServers watched = new SilentServers(SOON, 200, SilentServersTest::named);
                Statements connection = connect(cable.port(), watched)) {
            assertThat(connection.number("SELECT 7")).isEqualTo(7);
            cable.cut();
            assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.number("SELECT 8"))
                    .matches(ServerErrors::isConnection);
        }
    }

    @Test
    @SuppressWarnings("try") // the first server is lost before the end
    void aNameThatLeadsToAnotherServerIsLookedUpAgainWhenTheFirstOneIsLost() throws Exception {
        try (Cable cable = new Cable(server.port())) {
            AtomicInteger port = new AtomicInteger(cable.port());
            try (SilentServers watched = new SilentServers(SOON, 5_000,
                    host -> new InetSocketAddress(host.name(), port.get()));
                    Statements old = connect(server.port(), watched);
                    Statements fresh = connect(server.port(), watched)) {
                assertThat(old.number("SELECT 7 FROM pg_sleep(1)")).isEqualTo(7);
                port.set(server.port());
                cable.close();
                assertThatExceptionOfType(SQLException.class).isThrownBy(() -> old.number("SELECT 8 FROM pg_sleep(60)"))
                        .matches(ServerErrors::isConnection);
                assertThat(fresh.number("SELECT 9 FROM pg_sleep(2)")).isEqualTo(9);
            }
        }
    }

    @Test
    void anotherServerIsUsedWhenTheFirstOneOfTheAddressDoesNotAnswer() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Sockets clients = new Sockets()) {
            // The kernel drops further attempts to connect when as many wait as it accepts.
            clients.fill(full);
            SpaceUri uri = SpaceUri.parse(
                    server.fresh().toString().replace("127.0.0.1", "127.0.0.1:" + full.getLocalPort() + ",127.0.0.1")
                            + "&connect_timeout=1");
            try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults().patience(Duration.ofMillis(500)))) {
                space.write(new Parcel(1));
            }
        }
    }

    record Parcel(int number) {}

    private static final class Sockets implements AutoCloseable {
        private final List<Socket> open = new ArrayList<>();

        void fill(ServerSocket server) throws IOException {
            while (true) {
                Socket socket = new Socket();
                open.add(socket);
                try {
                    socket.connect(server.getLocalSocketAddress(), 200);
                } catch (SocketTimeoutException e) {
                    return;
                }
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }
}
